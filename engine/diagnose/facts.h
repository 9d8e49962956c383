#pragma once
/// What the conclusions need to know of a plan. Pure.

#include <optional>

#include "diagnose/costs.h"
#include "plan/plan.h"

namespace penstock {

/// The graph as planned; unit u is the plan's unit u, edge e its edge e.
GraphFacts facts_of(const Plan& plan);

/// CPUs by affinity (`cpus` of them) and quota, threads as a run has them (`serial`: one thread
/// does everything).
MachineFacts machine_facts(size_t cpus, std::optional<double> quota, int threads, bool serial);

}  // namespace penstock
