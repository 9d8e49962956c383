#pragma once
/// What limits a run, as plain values: the names and meanings are those of `verdict` in the JSON
/// report. docs/verdict.md says how it is reached.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace penstock {

/// New rate / present rate, with the bounds of a 90 % interval.
struct Gain {
  double value = 1, low = 1, high = 1;
};

/// The highest rate that one resource allows.
struct BoundReport {
  std::string limit;  ///< consumer | node | cpu | threads | device
  std::string node;   ///< whose slots or link; empty for the others
  double examples_per_s = 0;
};

/// A part of the time that recorded batches took to come about, step by step back from the
/// consumer.
struct PathShare {
  std::string cause;  ///< a node's id (its bodies) | consumer | threads | memory | engine | unknown
  double share = 0;
};

/// What limits once the first limit is out of the way.
struct NextLimit {
  std::string limit;
  std::vector<std::string> nodes;
  double headroom = 1;  ///< its rate / the rate of the first limit
};

/// Another explanation, and what would be seen in the experiment if it were the true one.
struct Alternative {
  std::string limit;
  std::vector<std::string> nodes;
  std::string reason;
  double examples_per_s = 0;  ///< predicted for the experiment
};

/// One change, and what the verdict says will come of it.
struct ExperimentPlan {
  std::string set;   ///< as for --set
  std::string what;  ///< in words
  double examples_per_s = 0, low = 0, high = 0;
  double wait_ms = 0, work_ms = 0;  ///< means to be expected
};

/// The parts of a run, by the batches that the consumer got.
struct RunPhases {
  double startup_s = 0;  ///< to the first batch
  double ramp_s = 0;     ///< from there to the steady part
  double steady_s = 0;
  double drain_s = 0;  ///< after it: the sources have ended, the rest is delivered
  uint64_t batches = 0, steady_batches = 0;
};

struct Verdict {
  /// consumer | node | cpu | threads | device | order | variance | co_limited | none |
  /// not_stationary | invalid
  std::string limit = "invalid";
  std::vector<std::string> nodes;     ///< ids, most important first; also "consumer", "cpu", ...
  double confidence = 0;              ///< 0 .. 1
  std::optional<std::string> remedy;  ///< a setting, as for --set; nothing: no setting helps
  std::string advice;                 ///< the remedy in words
  std::optional<Gain> gain;           ///< of `advice`
  std::optional<NextLimit> next;
  std::string reason;  ///< with the arithmetic
  std::vector<Alternative> alternatives;
  std::optional<ExperimentPlan> experiment;
  RunPhases phases;
  double examples_per_s = 0;             ///< of the steady part; 0: there is none
  double rate_error = 0;                 ///< half of its 90 % interval, relative; 0: not known
  double model_examples_per_s = 0;       ///< that the model gives for the run as it is; 0: no model
  std::vector<BoundReport> bounds;       ///< lowest first
  std::vector<PathShare> critical_path;  ///< largest first; empty: not recorded
  std::vector<Verdict> by_phase;         ///< of a run that is not stationary: one for each part
};

}  // namespace penstock
