#pragma once

#include <cstdint>
#include <vector>

#include "kernels/image.h"
#include "kernels/resize_weights.h"
#include "kernels/simd.h"

namespace penstock::kernels {

/// Resizes 8-bit pictures of 1 to 4 channels, antialiased, bit for bit as Pillow 13 does (bilinear
/// and bicubic): fixed-point weights, rounding to 8 bits between the two passes, and the pass over
/// the columns first where the height shrinks by more than twice what the width shrinks. A crop is
/// a view; "crop then resize" is resize of a view. Reused from picture to picture (weights are kept
/// while the sizes stay); one object serves one thread at a time.
class Resizer {
 public:
  /// Uses at most the instruction set given.
  explicit Resizer(Simd simd = best_simd()) : simd_(simd) {}

  /// Fills `target` with `source` resized to its sizes. The two must not overlap. Throws
  /// ImageError(kArgument) for empty pictures, other channel counts or counts that differ.
  void resize(const ImageView& source, const MutableImageView& target, Filter filter);

 private:
  void resize_rows(const ImageView& source, const MutableImageView& target);
  void blend_columns(const ImageView& source, const MutableImageView& target) const;
  MutableImageView intermediate(int height, int width, int channels);

  Simd simd_;
  AxisWeights across_;  ///< Weights along a row.
  AxisWeights down_;    ///< Weights along a column.
  std::vector<std::uint8_t> between_;
  std::vector<std::uint8_t> padded_row_;
};

/// Fills `target` by the centre rule: row i comes from floor((i + 0.5) * in / out), in exact
/// integers, columns likewise. No value appears that `source` does not hold. Any channel count.
void resize_nearest(const ImageView& source, const MutableImageView& target);

/// Height and width of a picture.
struct Size {
  int height = 0;
  int width = 0;

  friend bool operator==(const Size&, const Size&) = default;
};

/// Size with the shorter side at `shorter` and the other in proportion, rounded down (torchvision's
/// rule) but at least 1. Throws ImageError(kTooLarge) if the result has more than `max_pixels`.
Size fit_shorter_side(Size picture, int shorter, std::int64_t max_pixels = kDefaultMaxPixels);

}  // namespace penstock::kernels
