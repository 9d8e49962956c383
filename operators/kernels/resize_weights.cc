#include "kernels/resize_weights.h"

#include <algorithm>
#include <cmath>

namespace penstock::kernels {
namespace {

double triangle(double x) {
  x = std::abs(x);
  return x < 1.0 ? 1.0 - x : 0.0;
}

/// R. Keys, "Cubic convolution interpolation for digital image processing", 1981, with a = -0.5.
double cubic(double x) {
  constexpr double kA = -0.5;
  x = std::abs(x);
  if (x < 1.0) return ((kA + 2.0) * x - (kA + 3.0)) * x * x + 1;
  if (x < 2.0) return (((x - 5) * x + 8) * x - 4) * kA;
  return 0.0;
}

/// The weights of one output before rounding; returns how many there are.
int weights_of(const AxisWeights& axis, int output, double scale, std::vector<double>& values,
               int* first) {
  const bool is_cubic = axis.filter == Filter::kBicubic;
  const double stretch = std::max(scale, 1.0);
  const double support = (is_cubic ? 2.0 : 1.0) * stretch;
  const double inverse = 1.0 / stretch;
  const double centre = (output + 0.5) * scale;
  const int begin = std::max(static_cast<int>(centre - support + 0.5), 0);
  const int end = std::min(static_cast<int>(centre + support + 0.5), axis.in_size);
  values.clear();
  double total = 0.0;
  for (int x = begin; x < end; ++x) {
    const double distance = (x - centre + 0.5) * inverse;
    const double value = is_cubic ? cubic(distance) : triangle(distance);
    values.push_back(value);
    total += value;
  }
  if (total != 0.0) {
    for (double& value : values) value /= total;
  }
  *first = begin;
  return end - begin;
}

std::int32_t to_fixed(double weight) {
  const double scaled = weight * (1 << kWeightBits);
  return static_cast<std::int32_t>(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

void split_weights(AxisWeights& axis, int out) {
  const int pairs = (out + 1) / 2;
  const int groups = axis.taps / 4;
  axis.split.assign(static_cast<std::size_t>(pairs) * static_cast<std::size_t>(groups) * 16, 0);
  for (int i = 0; i < out; ++i) {
    const std::int32_t* weights = axis.weight(i);
    std::int16_t* pair = axis.split.data() + static_cast<std::ptrdiff_t>(i / 2) * groups * 16;
    for (int t = 0; t < axis.taps; ++t) {
      std::int16_t* to = pair + (t / 4) * 16 + (i % 2) * 8 + t % 4;
      to[0] = static_cast<std::int16_t>(weights[t] & ((1 << kSplitBits) - 1));
      to[4] = static_cast<std::int16_t>(weights[t] >> kSplitBits);
    }
  }
}

}  // namespace

void AxisWeights::prepare(int in, int out, Filter kind) {
  if (in == in_size && out == out_size && kind == filter) return;
  out_size = 0;  // stays so if memory runs out below
  in_size = in;
  filter = kind;
  const double scale = static_cast<double>(in) / out;
  const double support = (kind == Filter::kBicubic ? 2.0 : 1.0) * std::max(scale, 1.0);
  const int most = std::min(in, static_cast<int>(std::ceil(support)) * 2 + 1);
  taps = (most + 3) / 4 * 4;
  const auto outputs = static_cast<std::size_t>(out);
  first.resize(outputs);
  count.resize(outputs);
  weights.assign(outputs * static_cast<std::size_t>(taps), 0);
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(most));
  for (int i = 0; i < out; ++i) {
    const auto at = static_cast<std::size_t>(i);
    count[at] = weights_of(*this, i, scale, values, &first[at]);
    std::transform(values.begin(), values.end(),
                   weights.begin() + static_cast<std::ptrdiff_t>(i) * taps, to_fixed);
  }
  split_weights(*this, out);
  out_size = out;
}

}  // namespace penstock::kernels
