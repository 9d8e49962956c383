#pragma once

#include "kernels/image.h"

namespace penstock::kernels {

/// Whether an EXIF orientation (1 to 8) exchanges width and height.
constexpr bool swaps_sides(int orientation) { return orientation >= 5 && orientation <= 8; }

/// Writes `source` turned upright, given how it was stored (EXIF orientation 1 to 8; others count
/// as 1). `target` has the sides exchanged where swaps_sides() says so, and the same channels. The
/// two must not overlap. Throws ImageError(kArgument) if the sizes do not match.
void apply_orientation(const ImageView& source, int orientation, const MutableImageView& target);

}  // namespace penstock::kernels
