#pragma once
/// What one run shows: the verdict's answer, those of simpler rules on the same clocks, and the
/// costs behind them.

#include <nlohmann/json.hpp>
#include <optional>

#include "attribution/change.h"
#include "diagnose/facts.h"
#include "diagnose/verdict.h"
#include "measure/run_log.h"

namespace penstock::bench::attribution {

/// The rules that are compared with the verdict; each names one node's id or "consumer":
/// * longest_time: the longest mean time of a body (wall clock);
/// * busy: the slots, or the consumer, that are in bodies for the largest share (wall clock);
/// * cpu_rate: the lowest rate by CPU seconds and slots alone;
/// * occupancy: the largest fall of the mean filling from the edges before to those behind;
/// * slowest_call: the longest single body;
/// * wait_fraction: the consumer where it waits less than half of the time, else the node with the
///   most time in bodies for a batch.
nlohmann::ordered_json baselines(const GraphFacts& graph, const Costs& costs, const Snapshot& begin,
                                 const Snapshot& end);

/// The changes that the verdict's advice means; nothing where it advises none.
std::vector<Change> advised(const Verdict& verdict, const Costs& costs);

/// {"verdict", "advised", "baselines", "costs"}
nlohmann::ordered_json observation(const GraphFacts& graph, const MachineFacts& machine,
                                   const RunLog& log, std::optional<double> reference_ms);

}  // namespace penstock::bench::attribution
