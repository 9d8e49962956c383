#include "kernels/resize_weights.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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
  // Pillow truncates toward 0; the order of the operations counts.
  const double low = centre - support + 0.5;
  const double high = centre + support + 0.5;
  const int begin = std::max(static_cast<int>(low), 0);
  const int end = std::min(static_cast<int>(high), axis.in_size);
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
      std::int16_t* to = pair + std::ptrdiff_t{t / 4} * 16 + std::ptrdiff_t{i % 2} * 8 + t % 4;
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
  const auto outputs = static_cast<std::size_t>(out);
  first.resize(outputs);
  count.resize(outputs);
  std::vector<double> values;
  std::vector<std::int32_t> dense;
  for (std::size_t i = 0; i < outputs; ++i) {
    count[i] = weights_of(*this, static_cast<int>(i), scale, values, &first[i]);
    std::transform(values.begin(), values.end(), std::back_inserter(dense), to_fixed);
  }
  taps = (*std::max_element(count.begin(), count.end()) + 3) / 4 * 4;
  weights.assign(outputs * static_cast<std::size_t>(taps), 0);
  const std::int32_t* from = dense.data();
  for (std::size_t i = 0; i < outputs; ++i) {
    std::copy_n(from, count[i], weights.data() + i * static_cast<std::size_t>(taps));
    from += count[i];
  }
  split_weights(*this, out);
  out_size = out;
}

}  // namespace penstock::kernels
