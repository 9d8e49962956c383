#pragma once
/// Seeded random pipelines that the plan accepts: 3 to 12 nodes with joins, filters, failures,
/// expansion, groups, side Sinks, early stops, budgets and empty epochs.

#include <cstdint>
#include <functional>

#include "support/graph_case.h"

namespace penstock::testing {

struct RandomGraphOptions {
  bool any = false;    ///< some nodes reorder; only what keeps the multiset is drawn
  bool small = false;  ///< few nodes and samples: for reading a failure
};

/// The graph of that seed; equal for equal arguments.
GraphCase random_graph(uint64_t seed, const RandomGraphOptions& options = {});

/// The plan's rule for joins, written a second time: no expand, collate or merge lies on an
/// undirected cycle (it has an in-edge and an out-edge in one biconnected block).
bool joins_allowed(const GraphCase& graph);

/// The smallest graph that can be reached by taking things away while `fails` stays true.
/// Candidates need not be valid: `fails` says no to those.
GraphCase minimise(GraphCase graph, const std::function<bool(const GraphCase&)>& fails);

}  // namespace penstock::testing
