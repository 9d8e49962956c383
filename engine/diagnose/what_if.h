#pragma once
/// Single changes tried in the model (simulate.h), where the bounds alone do not explain a run.
/// Pure.

#include <string>
#include <vector>

#include "diagnose/remedy.h"
#include "penstock/verdict.h"

namespace penstock {

/// A change and what it brings in the model.
struct WhatIf {
  std::string limit;               ///< that the change relieves, as in Verdict
  std::vector<std::string> nodes;  ///< whose
  Change change;
  Gain gain;
};

/// Every change worth trying, the best first: order off where results wait for older ones, one
/// queue four times as deep, twice the slots of a node, twice the threads, a node or the consumer
/// twice as fast, twice the memory on a device, half the bytes to copy there. A node that would
/// gain twice as fast, but not with twice the slots, is the CPU's limit where it needs most of
/// that. `rates`: simulated_rates() of the costs as they are.
std::vector<WhatIf> what_ifs(const Costs& costs, const std::vector<double>& rates);

/// The change to name: the best one; threads before a node on them where they bring nearly as much,
/// and before a node's faster body its slots where they bring half as much. `list`:
/// what_ifs(), not empty.
const WhatIf& choose(const std::vector<WhatIf>& list);

/// By how much the best change that answers as `chosen` does leads before the best one that does
/// not; below 0 where it is preferred for other reasons.
double lead_of(const WhatIf& chosen, const std::vector<WhatIf>& list);

}  // namespace penstock
