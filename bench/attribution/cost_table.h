#pragma once
/// Factors by which bodies are longer or shorter than their mean: a table that repeats, so that a
/// run and the same run with one change meet the same costs in the same order.

#include <cstdint>
#include <vector>

#include "attribution/case.h"

namespace penstock::bench::attribution {

/// Mean 1 exactly. Every 64 of them have nearly the same distribution (of `bursty`, every 512), so
/// that short runs differ little in their mean.
std::vector<float> cost_table(const Spread& spread, uint64_t seed);

}  // namespace penstock::bench::attribution
