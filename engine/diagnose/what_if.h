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
/// twice as fast.
std::vector<WhatIf> what_ifs(const Costs& costs);

}  // namespace penstock
