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
/// twice as fast. A node that would gain twice as fast, but not with twice the slots, is the CPU's
/// limit where it needs most of that.
std::vector<WhatIf> what_ifs(const Costs& costs);

/// The change to name: order and queues where they bring nearly what the best one does, since the
/// others then only work around them; threads before a node on them, and slots before a faster
/// body. `busiest`: share of the time that the busiest slots are busy. `list`: what_ifs(), not
/// empty.
const WhatIf& choose(const std::vector<WhatIf>& list, double busiest);

/// The best change beside what `chosen` names; null: there is none.
const WhatIf* second_to(const WhatIf& chosen, const std::vector<WhatIf>& list);

}  // namespace penstock
