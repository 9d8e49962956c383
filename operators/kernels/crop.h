#pragma once

#include <cstddef>
#include <functional>
#include <utility>

#include "kernels/image.h"
#include "kernels/resize.h"

namespace penstock::kernels {

/// The part of a picture inside `box`, without a copy. Throws ImageError(kArgument) if the box is
/// empty or not inside the picture.
ImageView crop_view(const ImageView& picture, const Box& box);

/// The middle of a picture; odd differences are rounded half to even (torchvision's center_crop).
/// Throws ImageError(kArgument) naming both sizes if the crop is larger than the picture.
Box center_box(Size picture, Size crop);

/// What random_resized_box() may choose.
struct CropRange {
  std::pair<double, double> scale{0.08, 1.0};             ///< Part of the picture's area.
  std::pair<double, double> ratio{3.0 / 4.0, 4.0 / 3.0};  ///< Width / height.
};

/// The box of torchvision's RandomResizedCrop. Up to ten tries: `uniform` (in [0, 1)) is drawn for
/// the area and for the logarithm of the ratio, and once a box fits, for its top and its left.
/// After ten misfits the largest central box whose ratio is in range. Throws ImageError(kArgument)
/// for an empty picture.
Box random_resized_box(Size picture, const CropRange& range,
                       const std::function<double()>& uniform);

/// Mirrors left and right: `rows` rows of `pixels` pixels of `pixel_bytes` bytes each,
/// `from_stride` and `to_stride` bytes apart. A planar picture is channels * height rows of single
/// elements. The memory must not overlap.
void flip_rows(const std::uint8_t* from, std::ptrdiff_t from_stride, std::size_t rows,
               std::size_t pixels, std::size_t pixel_bytes, std::uint8_t* to,
               std::ptrdiff_t to_stride);

/// Mirrors an interleaved picture left and right; sizes must be equal, or ImageError(kArgument).
void flip_horizontal(const ImageView& source, const MutableImageView& target);

}  // namespace penstock::kernels
