#include "kernels/orientation.h"

#include <cstring>

namespace penstock::kernels {
namespace {

/// Where the pixels of one target row lie in the source: a start and a step in bytes.
struct SourceWalk {
  const std::uint8_t* start;
  std::ptrdiff_t step;
};

/// EXIF 2.32, 4.6.4, tag Orientation: which source pixel is at (x = 0, y) of the upright picture,
/// and where its right neighbour lies.
SourceWalk walk_for_row(const ImageView& s, int orientation, int y) {
  const std::ptrdiff_t pixel = s.channels;
  const std::ptrdiff_t line = s.row_stride;
  const int bottom = s.height - 1;
  const int right = s.width - 1;
  const auto at = [&s](int sy, int sx) {
    return s.row(sy) + static_cast<std::ptrdiff_t>(sx) * s.channels;
  };
  switch (orientation) {
    case 2:
      return {at(y, right), -pixel};
    case 3:
      return {at(bottom - y, right), -pixel};
    case 4:
      return {at(bottom - y, 0), pixel};
    case 5:
      return {at(0, y), line};
    case 6:
      return {at(bottom, y), -line};
    case 7:
      return {at(bottom, right - y), -line};
    case 8:
      return {at(0, right - y), line};
    default:
      return {at(y, 0), pixel};
  }
}

}  // namespace

void apply_orientation(const ImageView& source, int orientation, const MutableImageView& target) {
  const bool swaps = swaps_sides(orientation);
  if (target.height != (swaps ? source.width : source.height) ||
      target.width != (swaps ? source.height : source.width) ||
      target.channels != source.channels) {
    throw ImageError(ImageErrorKind::kArgument, "the output does not fit the turned picture");
  }
  const auto channels = static_cast<std::size_t>(source.channels);
  for (int y = 0; y < target.height; ++y) {
    const SourceWalk walk = walk_for_row(source, orientation, y);
    const std::uint8_t* from = walk.start;
    std::uint8_t* to = target.row(y);
    for (int x = 0; x < target.width; ++x, to += channels) {
      std::memcpy(to, from, channels);
      if (x + 1 < target.width) from += walk.step;
    }
  }
}

}  // namespace penstock::kernels
