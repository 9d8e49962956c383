#pragma once
/// Runs a GraphCase on the engine and says what is wrong with the result: against the sequential
/// reference, against the identities that every snapshot must satisfy, and against the bound on
/// what may be in flight.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/run.h"
#include "support/graph_ops.h"
#include "support/random_graph.h"
#include "support/reference.h"

namespace penstock::testing {

/// One way to schedule the same graph.
struct Mode {
  std::string name;
  RunOptions options;
  uint64_t jitter = 0;
};
/// Threads 1, 2 and 4 with jitter, inline, and so many seeded schedules.
std::vector<Mode> all_modes(uint64_t seed, int seeded);

struct Outcome {
  Epochs consumer;
  uint32_t epoch_ends = 0;
  bool ended = false;  ///< next() said kEnd
  std::optional<ErrorInfo> error;
  std::string status;
  Snapshot snapshot;
  std::vector<std::string> troubles;  ///< what must never be, whatever the graph
};

/// Reads the pipeline as its case says: to the end, or until it stops.
Outcome run_case(World* world, std::shared_ptr<const Plan> plan, const RunOptions& options);

/// "" or the first difference.
std::string compare(World& world, const Expected& expected, const Outcome& outcome);

/// "" or the first identity of engine.md, section 5, that does not hold. `ended`: nothing may be
/// left on an edge.
std::string check_identities(const Snapshot& snapshot, bool ended);

/// "" or what does not fit in the records of all firings of a run that has ended: their times are
/// in order, they add up to the states of the snapshot exactly, and enablers exist.
std::string check_firings(const Snapshot& snapshot, const FiringLog& log);

/// All of it for one graph in one mode: "" or what is wrong.
std::string try_graph(const GraphCase& graph, const Mode& mode);

/// A report about a failing graph: the difference, the graph and the smallest one that fails too.
std::string explain(const GraphCase& graph, const Mode& mode, const std::string& failure,
                    bool shrink);

}  // namespace penstock::testing
