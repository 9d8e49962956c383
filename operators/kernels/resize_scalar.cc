#include "kernels/resize_passes.h"

namespace penstock::kernels {
namespace {

template <int kChannels>
void resize_row(const AxisWeights& axis, const std::uint8_t* from, std::uint8_t* to) {
  for (int i = 0; i < axis.out_size; ++i, to += kChannels) {
    const auto at = static_cast<std::size_t>(i);
    const std::uint8_t* pixel = from + static_cast<std::ptrdiff_t>(axis.first[at]) * kChannels;
    const std::int32_t* weights = axis.weight(i);
    std::int32_t sums[kChannels];
    for (int c = 0; c < kChannels; ++c) sums[c] = kRoundUp;
    for (int t = 0; t < axis.count[at]; ++t, pixel += kChannels) {
      for (int c = 0; c < kChannels; ++c) sums[c] += pixel[c] * weights[t];
    }
    for (int c = 0; c < kChannels; ++c) to[c] = to_sample(sums[c]);
  }
}

}  // namespace

void resize_row_scalar(const AxisWeights& axis, int channels, const std::uint8_t* from,
                       std::uint8_t* to) {
  switch (channels) {
    case 1:
      return resize_row<1>(axis, from, to);
    case 2:
      return resize_row<2>(axis, from, to);
    case 3:
      return resize_row<3>(axis, from, to);
    default:
      return resize_row<4>(axis, from, to);
  }
}

void blend_rows_scalar(const AxisWeights& axis, int output, const std::uint8_t* rows,
                       std::ptrdiff_t stride, std::size_t bytes, std::uint8_t* to) {
  const std::int32_t* weights = axis.weight(output);
  const int count = axis.count[static_cast<std::size_t>(output)];
  constexpr std::size_t kBlock = 64;
  for (std::size_t x = 0; x < bytes; x += kBlock) {
    const std::size_t width = bytes - x < kBlock ? bytes - x : kBlock;
    std::int32_t sums[kBlock];
    for (std::size_t i = 0; i < width; ++i) sums[i] = kRoundUp;
    for (int t = 0; t < count; ++t) {
      const std::uint8_t* row = rows + t * stride + x;
      for (std::size_t i = 0; i < width; ++i) sums[i] += row[i] * weights[t];
    }
    for (std::size_t i = 0; i < width; ++i) to[x + i] = to_sample(sums[i]);
  }
}

}  // namespace penstock::kernels
