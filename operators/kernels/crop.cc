#include "kernels/crop.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

namespace penstock::kernels {
namespace {

constexpr int kTries = 10;

std::string text_of(Size size) {
  return std::to_string(size.height) + " x " + std::to_string(size.width);
}

/// Half of `value` >= 0, halves rounded to even.
int half_to_even(int value) { return value / 2 + (value % 2 == 1 && value / 2 % 2 == 1 ? 1 : 0); }

double between(std::pair<double, double> range, double unit) {
  return range.first + (range.second - range.first) * unit;
}

/// An integer in [0, count), from a uniform number in [0, 1).
int index_below(int count, double unit) {
  return std::min(static_cast<int>(unit * count), count - 1);
}

Box central_box(Size picture, const CropRange& range) {
  const double ratio = static_cast<double>(picture.width) / picture.height;
  Size crop = picture;
  if (ratio < range.ratio.first) {
    crop.height = static_cast<int>(std::nearbyint(picture.width / range.ratio.first));
  } else if (ratio > range.ratio.second) {
    crop.width = static_cast<int>(std::nearbyint(picture.height * range.ratio.second));
  }
  crop.height = std::clamp(crop.height, 1, picture.height);
  crop.width = std::clamp(crop.width, 1, picture.width);
  return {(picture.height - crop.height) / 2, (picture.width - crop.width) / 2, crop.height,
          crop.width};
}

template <std::size_t kBytes>
void flip_row(const std::uint8_t* from, std::size_t pixels, std::uint8_t* to) {
  const std::uint8_t* last = from + (pixels - 1) * kBytes;
  for (std::size_t x = 0; x < pixels; ++x) std::memcpy(to + x * kBytes, last - x * kBytes, kBytes);
}

void flip_row(const std::uint8_t* from, std::size_t pixels, std::size_t bytes, std::uint8_t* to) {
  switch (bytes) {
    case 1:
      return flip_row<1>(from, pixels, to);
    case 3:
      return flip_row<3>(from, pixels, to);
    case 4:
      return flip_row<4>(from, pixels, to);
    case 12:
      return flip_row<12>(from, pixels, to);
    default:
      for (std::size_t x = 0; x < pixels; ++x) {
        std::memcpy(to + x * bytes, from + (pixels - 1 - x) * bytes, bytes);
      }
  }
}

}  // namespace

ImageView crop_view(const ImageView& picture, const Box& box) {
  if (box.top < 0 || box.left < 0 || box.height < 1 || box.width < 1 ||
      box.height > picture.height - box.top || box.width > picture.width - box.left) {
    throw ImageError(ImageErrorKind::kArgument,
                     "crop of " + text_of({box.height, box.width}) + " at (" +
                         std::to_string(box.top) + ", " + std::to_string(box.left) +
                         ") is not inside the picture of " +
                         text_of({picture.height, picture.width}) + " (height x width)");
  }
  ImageView view = picture;
  view.data = picture.row(box.top) + static_cast<std::ptrdiff_t>(box.left) * picture.channels;
  view.height = box.height;
  view.width = box.width;
  return view;
}

Box center_box(Size picture, Size crop) {
  if (crop.height < 1 || crop.width < 1 || crop.height > picture.height ||
      crop.width > picture.width) {
    throw ImageError(ImageErrorKind::kArgument,
                     "crop of " + text_of(crop) + " is larger than the picture of " +
                         text_of(picture) + " (height x width); resize first");
  }
  return {half_to_even(picture.height - crop.height), half_to_even(picture.width - crop.width),
          crop.height, crop.width};
}

Box random_resized_box(Size picture, const CropRange& range,
                       const std::function<double()>& uniform) {
  if (picture.height < 1 || picture.width < 1) {
    throw ImageError(ImageErrorKind::kArgument, "random crop of an empty picture");
  }
  const double area = static_cast<double>(picture.height) * picture.width;
  const std::pair<double, double> log_ratio{std::log(range.ratio.first),
                                            std::log(range.ratio.second)};
  for (int i = 0; i < kTries; ++i) {
    const double target = area * between(range.scale, uniform());
    const double ratio = std::exp(between(log_ratio, uniform()));
    const double width = std::nearbyint(std::sqrt(target * ratio));
    const double height = std::nearbyint(std::sqrt(target / ratio));
    if (width < 1 || height < 1 || width > picture.width || height > picture.height) continue;
    Box box{0, 0, static_cast<int>(height), static_cast<int>(width)};
    box.top = index_below(picture.height - box.height + 1, uniform());
    box.left = index_below(picture.width - box.width + 1, uniform());
    return box;
  }
  return central_box(picture, range);
}

void flip_rows(const std::uint8_t* from, std::ptrdiff_t from_stride, std::size_t rows,
               std::size_t pixels, std::size_t pixel_bytes, std::uint8_t* to,
               std::ptrdiff_t to_stride) {
  if (pixels == 0) return;
  for (std::size_t y = 0; y < rows; ++y, from += from_stride, to += to_stride) {
    flip_row(from, pixels, pixel_bytes, to);
  }
}

void flip_horizontal(const ImageView& source, const MutableImageView& target) {
  if (source.height != target.height || source.width != target.width ||
      source.channels != target.channels) {
    throw ImageError(ImageErrorKind::kArgument, "a flip cannot change sizes");
  }
  flip_rows(source.data, source.row_stride, static_cast<std::size_t>(source.height),
            static_cast<std::size_t>(source.width), static_cast<std::size_t>(source.channels),
            target.data, target.row_stride);
}

}  // namespace penstock::kernels
