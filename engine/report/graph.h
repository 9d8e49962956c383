#pragma once
/// A plan as a picture: Graphviz, Mermaid, or text.

#include <string>

#include "plan/plan.h"

namespace penstock {

/// A graph in the DOT language: a box a node, an arrow an edge with its capacity.
std::string format_dot(const Plan& plan);
/// The same as a Mermaid flowchart.
std::string format_mermaid(const Plan& plan);
/// One line a node with its inputs and capacities. With `units`: as the engine schedules it, one
/// line a unit with slots, order and threads.
std::string format_plan_text(const Plan& plan, bool units);

}  // namespace penstock
