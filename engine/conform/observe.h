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
  bool cut = false;                 ///< it was ended for lasting too long
  uint64_t firings = 0, skipped = 0, filtered = 0;
  double mean_us = 0, p95_us = 0;  ///< of the subject's bodies
};

inline constexpr double kLongestRun = 20;  ///< seconds

/// Runs `plan` on `threads` CPU threads, to its end or for kLongestRun; 0: on this thread alone.
Observed observe(const std::shared_ptr<const Plan>& plan, int threads);

/// What a subject did in a run.
struct Through {
  uint64_t items = 0;  ///< that it took, or gave where it is a source
  uint64_t firings = 0;
};

/// Runs it on this thread, looking at nothing, for kLongestRun at most.
Through run_through(const std::shared_ptr<const Plan>& plan);

}  // namespace penstock::conform
