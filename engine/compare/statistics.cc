#include "compare/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace penstock {
namespace {

/// 97.5 % quantile of Student's t, so that a two-sided interval covers 95 %.
double t_quantile(size_t freedom) {
  constexpr std::array<double, 30> kTable = {
      12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
      2.201,  2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
      2.080,  2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};
  return kTable[std::clamp<size_t>(freedom, 1, kTable.size()) - 1];
}

bool positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::optional<RatioEstimate> paired_ratio(std::span<const double> a, std::span<const double> b) {
  const size_t pairs = std::min(a.size(), b.size());
  a = a.first(pairs);
  b = b.first(pairs);
  if (pairs == 0) return std::nullopt;
  if (!positive(a) || !positive(b)) {
    const double of_a = median({a.begin(), a.end()}), of_b = median({b.begin(), b.end()});
    if (of_a <= 0) return of_b <= 0 ? std::optional(RatioEstimate{}) : std::nullopt;
    return RatioEstimate{.value = of_b / of_a, .low = std::nullopt, .high = std::nullopt};
  }
  std::vector<double> logs;
  for (size_t i = 0; i < pairs; ++i) logs.push_back(std::log(b[i] / a[i]));
  const auto n = static_cast<double>(pairs);
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  RatioEstimate estimate{.value = std::exp(mean), .low = std::nullopt, .high = std::nullopt};
  if (pairs < 2) return estimate;
  double squares = 0;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  const double half = t_quantile(pairs - 1) * std::sqrt(squares / (n - 1) / n);
  estimate.low = std::exp(mean - half);
  estimate.high = std::exp(mean + half);
  return estimate;
}

std::optional<size_t> where_rise_stops(std::span<const double> rates, double tolerance) {
  if (rates.empty()) return std::nullopt;
  const double enough = *std::max_element(rates.begin(), rates.end()) * (1 - tolerance);
  size_t first = 0;
  while (rates[first] < enough) ++first;
  return first;
}

}  // namespace penstock
