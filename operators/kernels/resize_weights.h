#pragma once

#include <cstdint>
#include <vector>

namespace penstock::kernels {

/// Interpolation of a resize.
enum class Filter {
  kNearest,   ///< The pixel whose area holds the centre of the new one; for label masks.
  kBilinear,  ///< Triangle of support 1, widened when shrinking (antialiased).
  kBicubic,   ///< Keys' cubic with a = -0.5, support 2, widened when shrinking (antialiased).
};

/// Bits behind the point of a weight: 32 minus 8 of the sample minus 2 for overshoot (Pillow's).
inline constexpr int kWeightBits = 22;

/// Low bits of a weight in the split form; see AxisWeights::split.
inline constexpr int kSplitBits = 11;

/// Weights of one axis of a separable, antialiased resize: output i is the sum of
/// weight(i)[t] * input[first[i] + t] for t < count[i], rounded and clipped to 8 bits.
///
/// The rule is Pillow's: weights are evaluated in double at pixel centres, normalised to sum 1 and
/// rounded half away from zero to kWeightBits.
struct AxisWeights {
  int in_size = 0;
  int out_size = 0;
  Filter filter = Filter::kBilinear;
  int taps = 0;  ///< Distance between outputs in `weights`; a multiple of 4; unused ones are 0.
  std::vector<int> first;
  std::vector<int> count;
  std::vector<std::int32_t> weights;
  /// The weights as signed 16-bit halves, weight = high * 2^kSplitBits + low, for multiply-add
  /// instructions. For each pair of outputs (2i, 2i + 1) and each 4 taps: low 0-3 and high 0-3 of
  /// the one, then of the other (16 values). A last pair of one output is filled up with zeros.
  std::vector<std::int16_t> split;

  /// Weights of output `i`.
  const std::int32_t* weight(int i) const {
    return weights.data() + static_cast<std::ptrdiff_t>(i) * taps;
  }

  /// Low halves of the first 4 taps of output `i`; its high halves are 4 values, its next 4 taps
  /// are 16 values further on.
  const std::int16_t* split_weight(int i) const {
    return split.data() + static_cast<std::ptrdiff_t>(i / 2) * taps * 4 + std::ptrdiff_t{i % 2} * 8;
  }

  /// Computes the weights; does nothing when they are already those of these arguments.
  void prepare(int in, int out, Filter kind);
};

}  // namespace penstock::kernels
