#pragma once
/// A plan as text: for `graph`. Pure; every text ends with a line feed.

#include <string>

#include "plan/plan.h"

namespace penstock {

/// For Graphviz: nodes with operator and slots, edges with their capacity.
std::string graph_dot(const Plan& plan);
/// The same for Mermaid.
std::string graph_mermaid(const Plan& plan);
/// One row a unit: what runs together, where, in how many slots, fed by which edges.
std::string graph_units(const Plan& plan);

}  // namespace penstock
