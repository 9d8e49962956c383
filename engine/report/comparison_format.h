#pragma once
/// Two pipelines side by side, for people and for tools.

#include <string>
#include <vector>

#include "compare/comparison.h"

namespace penstock {

/// What became of the throughput, and where the time went.
std::vector<std::string> verdict_lines(const Comparison& comparison);

/// Structural difference, outputs, figures with intervals, nodes, edges, verdict.
std::string format_text(const Comparison& comparison);
std::string format_markdown(const Comparison& comparison);
/// {"compare": 1, "difference", "outputs", "metrics", "nodes", "edges", "verdict", "runs"}
std::string format_json(const Comparison& comparison);

/// The structural difference alone, a line for each change; "" without one.
std::string format_text(const PlanDiff& difference);

}  // namespace penstock
