#include "attribution/cost_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attribution/draw.h"

namespace penstock::bench::attribution {
namespace {

constexpr size_t kStrata = kPeriod, kEach = 32;
constexpr double kMostHeavy = 15;  // times the least

double one(const Spread& spread, Draw* draw) {
  if (spread.shape == "lognormal") {
    return std::exp(std::sqrt(std::log(1 + spread.cv * spread.cv)) * draw->normal());
  }
  if (spread.shape == "bimodal") return draw->chance(0.2) ? 4 : 1;
  if (spread.shape == "straggler") return draw->chance(0.06) ? 14 : 1;
  if (spread.shape == "heavy") {
    return std::min(kMostHeavy, std::pow(1 - draw->uniform(), -1 / 2.2));  // Pareto
  }
  return 1;
}

/// Two states that last for five and ten bodies on average.
std::vector<double> bursty(Draw* draw) {
  std::vector<double> values;
  bool slow = false;
  for (size_t i = 0; i < kPeriod; ++i) {
    if (draw->chance(slow ? 0.2 : 0.1)) slow = !slow;
    values.push_back(slow ? 3 : 0.6);
  }
  return values;
}

/// Means of equal parts of a sorted sample, in a random order.
std::vector<double> stratified(const Spread& spread, Draw* draw) {
  std::vector<double> sample(kStrata * kEach);
  for (double& value : sample) value = one(spread, draw);
  std::sort(sample.begin(), sample.end());
  std::vector<double> strata(kStrata);
  for (size_t i = 0; i < sample.size(); ++i) strata[i / kEach] += sample[i] / kEach;
  draw->shuffle(&strata);
  return strata;
}

}  // namespace

std::vector<float> cost_table(const Spread& spread, uint64_t seed) {
  if (spread.shape == "constant") return {1.0F};
  Draw draw(seed);
  const std::vector<double> values =
      spread.shape == "bursty" ? bursty(&draw) : stratified(spread, &draw);
  const double mean =
      std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  std::vector<float> table;
  for (const double value : values) table.push_back(static_cast<float>(value / mean));
  return table;
}

}  // namespace penstock::bench::attribution
