#pragma once
/// Why a run gave its consumer nothing.

#include <string>

#include "measure/snapshot.h"
#include "plan/plan.h"

namespace penstock {

struct EmptyRun {
  std::string reason;  ///< "collate 'batch' got 22 samples of the 64 ... and drops a short batch"
  std::string help;    ///< what to change
};

/// Looks along the plan for the first node that took items and gave none (or a source without
/// any), from the counters of a finished run that delivered no batch.
EmptyRun explain_empty_run(const Plan& plan, const Snapshot& end);

}  // namespace penstock
