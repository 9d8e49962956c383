#pragma once
/// From a run's log to what limits it. Pure: no clocks, no threads.

#include <optional>

#include "diagnose/bounds.h"
#include "diagnose/costs.h"
#include "diagnose/critical_path.h"
#include "diagnose/steady.h"
#include "measure/run_log.h"
#include "penstock/verdict.h"

namespace penstock {

/// That the model must give for a change to be named.
inline constexpr double kLeastGain = 0.03;

/// What a verdict rests on once a window is chosen.
struct Evidence {
  Costs costs;
  double rate_error = 0;  ///< half of the rate's 90 % interval, relative
  PathBlame path;         ///< nothing in it: not recorded
};

/// The verdict on a steady window, by the rules in docs/verdict.md. `phases` is left empty.
Verdict judge(const Evidence& evidence);

/// The whole way: finds the steady part of `log`, refuses where there is none, judges it, and each
/// half of it where the rate drifts. `reference_ms`: the consumer's step with nothing else going
/// on.
Verdict diagnose_run(const GraphFacts& graph, const MachineFacts& machine, const RunLog& log,
                     std::optional<double> reference_ms = std::nullopt);

/// The evidence of the steady part; nothing where there is none that speaks for the run.
std::optional<Evidence> steady_evidence(const GraphFacts& graph, const MachineFacts& machine,
                                        const RunLog& log,
                                        std::optional<double> reference_ms = std::nullopt);

}  // namespace penstock
