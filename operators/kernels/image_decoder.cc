#include "kernels/image_decoder.h"

#include <utility>

#include "kernels/orientation.h"

namespace penstock::kernels {

ImageInfo ImageDecoder::read_header(std::span<const std::uint8_t> bytes,
                                    const DecodeOptions& options) {
  info_ = {};
  const ImageFormat format = sniff_format(bytes);
  if (format == ImageFormat::kEmpty) {
    throw ImageError(ImageErrorKind::kEmpty, describe_unsupported(format, bytes));
  }
  if (format != ImageFormat::kJpeg && format != ImageFormat::kPng) {
    throw ImageError(ImageErrorKind::kUnsupported, describe_unsupported(format, bytes));
  }
  ImageInfo info = format == ImageFormat::kJpeg ? jpeg_.read_header(bytes, options)
                                                : png_.read_header(bytes, options);
  info.orientation = find_exif_orientation(format, bytes);
  turn_ = options.apply_orientation && info.orientation > 1;
  if (turn_ && swaps_sides(info.orientation)) std::swap(info.height, info.width);
  info_ = info;
  return info;
}

void ImageDecoder::decode_stored(const MutableImageView& out) {
  if (info_.format == ImageFormat::kJpeg) {
    jpeg_.decode(out);
  } else {
    png_.decode(out);
  }
}

void ImageDecoder::decode(const MutableImageView& out) {
  if (info_.format == ImageFormat::kUnknown) {
    throw ImageError(ImageErrorKind::kArgument, "decode needs a header first");
  }
  if (!turn_) return decode_stored(out);
  const bool swaps = swaps_sides(info_.orientation);
  const int height = swaps ? info_.width : info_.height;
  const int width = swaps ? info_.height : info_.width;
  stored_.resize(static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
                 static_cast<std::size_t>(info_.channels));
  const MutableImageView stored = packed_view(stored_.data(), height, width, info_.channels);
  decode_stored(stored);
  apply_orientation(stored, info_.orientation, out);
}

bool ImageDecoder::filled() const {
  return info_.format == ImageFormat::kJpeg ? jpeg_.filled() : png_.filled();
}

}  // namespace penstock::kernels
