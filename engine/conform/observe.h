#pragma once
/// One run of a subject's pipeline, reduced to what checks compare.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "penstock/item.h"
#include "plan/plan.h"

namespace penstock::conform {

struct Observed {
  std::vector<std::pair<Origin, std::string>> items;  ///< what came out, in order, as digests
  std::vector<std::string> untrue;  ///< where an item is not what infer() declared; no text twice
  std::string error;                ///< why the run failed, or empty
  uint64_t firings = 0, skipped = 0, filtered = 0;
  double mean_us = 0, p95_us = 0;  ///< of the subject's bodies
};

/// Runs `plan` to its end on `threads` CPU threads; 0: on this thread alone.
Observed observe(const std::shared_ptr<const Plan>& plan, int threads);

/// Runs it on this thread, looking at nothing, for so many seconds at most; the number of batches.
uint64_t run_through(const std::shared_ptr<const Plan>& plan, double seconds);

}  // namespace penstock::conform
