#pragma once
/// Factors by which bodies are longer or shorter than their mean: a table that repeats, so that a
/// run and the same run with one change meet the same costs in the same order.

#include <cstdint>
#include <vector>

#include "attribution/case.h"

namespace penstock::bench::attribution {

/// As many factors are in a table: windows of as many batches have the same costs in the same
/// order, wherever they begin. A prime, so that no figure that is sampled at every n-th body sees
/// some of them only.
inline constexpr size_t kPeriod = 61;

/// Mean 1 exactly.
std::vector<float> cost_table(const Spread& spread, uint64_t seed);

}  // namespace penstock::bench::attribution
