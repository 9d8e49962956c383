#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/resize_weights.h"

namespace penstock::kernels {

/// One row of `axis.out_size` pixels from one row of `axis.in_size`, both of `channels` bytes a
/// pixel. kAvx2 reads up to horizontal_overread() bytes behind the row.
void resize_row_scalar(const AxisWeights& axis, int channels, const std::uint8_t* from,
                       std::uint8_t* to);
void resize_row_avx2(const AxisWeights& axis, int channels, const std::uint8_t* from,
                     std::uint8_t* to);

/// Row `output` of the result as the weighted sum of axis.count[output] rows, the first at `rows`,
/// `stride` bytes apart; `bytes` of each.
void blend_rows_scalar(const AxisWeights& axis, int output, const std::uint8_t* rows,
                       std::ptrdiff_t stride, std::size_t bytes, std::uint8_t* to);
void blend_rows_avx2(const AxisWeights& axis, int output, const std::uint8_t* rows,
                     std::ptrdiff_t stride, std::size_t bytes, std::uint8_t* to);

/// Bytes that resize_row_avx2() may read behind the end of a row.
inline std::size_t horizontal_overread(const AxisWeights& axis, int channels) {
  return static_cast<std::size_t>(axis.taps) * static_cast<std::size_t>(channels) + 16;
}

/// A weighted sum with kWeightBits behind the point, rounded and clipped to a sample.
inline std::uint8_t to_sample(std::int32_t sum) {
  const std::int32_t value = sum >> kWeightBits;
  return static_cast<std::uint8_t>(value < 0 ? 0 : value > 255 ? 255 : value);
}

/// Where every weighted sum begins, so that the shift rounds to nearest.
inline constexpr std::int32_t kRoundUp = 1 << (kWeightBits - 1);

}  // namespace penstock::kernels
