#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/decode_options.h"
#include "kernels/jpeg_decoder.h"
#include "kernels/png_decoder.h"

namespace penstock::kernels {

/// Decodes whatever is supported, by content: JPEG and PNG. Reused from picture to picture; one
/// object serves one thread at a time.
///
///     const ImageInfo info = decoder.read_header(bytes, options);
///     allocate info.height x info.width x info.channels bytes
///     decoder.decode(packed_view(memory, info.height, info.width, info.channels));
class ImageDecoder {
 public:
  /// Finds the format, reads the header, checks the pixel limit. The sizes returned are those of
  /// the output (sides exchanged where an orientation is to be applied). `bytes` must stay valid
  /// until decode() returned. Throws ImageError.
  ImageInfo read_header(std::span<const std::uint8_t> bytes, const DecodeOptions& options);

  /// Decodes the picture whose header was read last into `out`, which has exactly the sizes that
  /// read_header() returned. Throws ImageError; what `out` then holds is unspecified.
  void decode(const MutableImageView& out);

  /// Whether the last picture was damaged and kept: only with Damaged::kFill.
  bool filled() const;

 private:
  void decode_stored(const MutableImageView& out);

  JpegDecoder jpeg_;
  PngDecoder png_;
  ImageInfo info_;
  bool turn_ = false;
  std::vector<std::uint8_t> stored_;  ///< Pixels as stored, when they are to be turned.
};

}  // namespace penstock::kernels
