#include "kernels/resize.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "kernels/resize_passes.h"

namespace penstock::kernels {
namespace {

void check(const ImageView& source, const MutableImageView& target) {
  if (source.height < 1 || source.width < 1 || target.height < 1 || target.width < 1) {
    throw ImageError(ImageErrorKind::kArgument, "resize needs pictures of at least 1 x 1 pixels");
  }
  if (source.channels != target.channels || source.channels < 1) {
    throw ImageError(ImageErrorKind::kArgument, "resize from " + std::to_string(source.channels) +
                                                    " to " + std::to_string(target.channels) +
                                                    " channels");
  }
}

void copy(const ImageView& source, const MutableImageView& target) {
  for (int y = 0; y < source.height; ++y) {
    std::memcpy(target.row(y), source.row(y), source.row_bytes());
  }
}

/// Pillow 13's rule for the order of the passes; earlier versions always begin along the rows.
bool columns_first(const ImageView& source, const MutableImageView& target) {
  const std::int64_t rows_lost = std::int64_t{source.height} - target.height;
  const std::int64_t columns_lost = std::int64_t{source.width} - target.width;
  return rows_lost > 0 && rows_lost > 2 * columns_lost;
}

/// floor((i + 0.5) * in / out) for every i < out.
std::vector<int> centre_indices(int in, int out) {
  std::vector<int> indices(static_cast<std::size_t>(out));
  for (std::int64_t i = 0; i < out; ++i) {
    indices[static_cast<std::size_t>(i)] = static_cast<int>((2 * i + 1) * in / (2LL * out));
  }
  return indices;
}

}  // namespace

void Resizer::resize(const ImageView& source, const MutableImageView& target, Filter filter) {
  check(source, target);
  if (source.height == target.height && source.width == target.width) return copy(source, target);
  if (filter == Filter::kNearest) return resize_nearest(source, target);
  if (source.channels > 4) {
    throw ImageError(ImageErrorKind::kArgument,
                     "resize of " + std::to_string(source.channels) + " channels; at most 4");
  }
  across_.prepare(source.width, target.width, filter);
  down_.prepare(source.height, target.height, filter);
  if (source.height == target.height) return resize_rows(source, target);
  if (source.width == target.width) return blend_columns(source, target);
  if (columns_first(source, target)) {
    const MutableImageView between = intermediate(target.height, source.width, source.channels);
    blend_columns(source, between);
    return resize_rows(between, target);
  }
  const MutableImageView between = intermediate(source.height, target.width, source.channels);
  resize_rows(source, between);
  blend_columns(between, target);
}

MutableImageView Resizer::intermediate(int height, int width, int channels) {
  const std::size_t bytes = static_cast<std::size_t>(height) * static_cast<std::size_t>(width) *
                            static_cast<std::size_t>(channels);
  if (between_.size() < bytes) between_.resize(bytes);
  return packed_view(between_.data(), height, width, channels);
}

void Resizer::resize_rows(const ImageView& source, const MutableImageView& target) {
  if (simd_ == Simd::kScalar) {
    for (int y = 0; y < source.height; ++y) {
      resize_row_scalar(across_, source.channels, source.row(y), target.row(y));
    }
    return;
  }
  // The last rows go through a padded copy, so that nothing behind the picture is read.
  const std::size_t bytes = source.row_bytes();
  const std::size_t overread = horizontal_overread(across_, source.channels);
  const std::uint8_t* end = source.row(source.height - 1) + bytes;
  padded_row_.resize(bytes + overread);
  for (int y = 0; y < source.height; ++y) {
    const std::uint8_t* row = source.row(y);
    if (static_cast<std::size_t>(end - row) < bytes + overread) {
      std::memcpy(padded_row_.data(), row, bytes);
      row = padded_row_.data();
    }
    resize_row_avx2(across_, source.channels, row, target.row(y));
  }
}

void Resizer::blend_columns(const ImageView& source, const MutableImageView& target) const {
  const auto blend = simd_ == Simd::kScalar ? blend_rows_scalar : blend_rows_avx2;
  for (int y = 0; y < target.height; ++y) {
    const auto at = static_cast<std::size_t>(y);
    blend(down_, y, source.row(down_.first[at]), source.row_stride, source.row_bytes(),
          target.row(y));
  }
}

void resize_nearest(const ImageView& source, const MutableImageView& target) {
  check(source, target);
  const std::vector<int> rows = centre_indices(source.height, target.height);
  const std::vector<int> columns = centre_indices(source.width, target.width);
  const auto channels = static_cast<std::size_t>(source.channels);
  for (int y = 0; y < target.height; ++y) {
    const std::uint8_t* from = source.row(rows[static_cast<std::size_t>(y)]);
    std::uint8_t* to = target.row(y);
    for (int column : columns) {
      std::memcpy(to, from + static_cast<std::size_t>(column) * channels, channels);
      to += channels;
    }
  }
}

Size fit_shorter_side(Size picture, int shorter, std::int64_t max_pixels) {
  const std::int64_t height = picture.height;
  const std::int64_t width = picture.width;
  if (height < 1 || width < 1 || shorter < 1) {
    throw ImageError(ImageErrorKind::kArgument, "resize needs sizes of at least 1 pixel");
  }
  const std::int64_t longer =
      std::max<std::int64_t>(1, shorter * std::max(height, width) / std::min(height, width));
  check_pixel_limit(height <= width ? shorter : longer, height <= width ? longer : shorter,
                    max_pixels, "resized picture");
  if (longer > std::numeric_limits<int>::max()) {
    throw ImageError(ImageErrorKind::kTooLarge,
                     "resized picture with a side of " + std::to_string(longer) + " pixels");
  }
  const int other = static_cast<int>(longer);
  return height <= width ? Size{shorter, other} : Size{other, shorter};
}

}  // namespace penstock::kernels
