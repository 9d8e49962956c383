#pragma once
/// Small arithmetic of the report, apart so that it can be tested from tables.

#include <cstdint>
#include <span>
#include <vector>

#include "measure/histogram.h"
#include "measure/run_log.h"
#include "measure/snapshot.h"
#include "measure/split.h"
#include "penstock/report.h"

namespace penstock {

/// Mean, median, 95th percentile and maximum in milliseconds of what was added between two states
/// of a histogram. The maximum is exact when the longest of the whole run fell into the window;
/// else it is the upper end of the highest bucket in use (3.2 % wide).
Spread spread_ms(const Histogram& begin, const Histogram& end);

/// One delivered batch as the consumer's loop saw it.
struct Delivery {
  int64_t done_ns = 0;  ///< when its work ended, on any clock
  uint64_t examples = 0;
};

/// Whether the examples per second of the two halves (by number of batches) agree within 5 %; false
/// with fewer than 2 x 10 batches. `begin_ns`: when the window began.
bool is_steady(int64_t begin_ns, std::span<const Delivery> window);

/// Deliveries after `begin_ns` in a run's log, on its clock: several batches are one where it is
/// thinned.
std::vector<Delivery> deliveries_after(int64_t begin_ns, const std::vector<BatchRecord>& batches);

/// min(8, a quarter of the batches delivered).
uint64_t default_warmup(uint64_t batches);

}  // namespace penstock
