#pragma once
/// A sweep: one pipeline, run with several values of its keys, and what that says. All pure.

#include <optional>
#include <string>
#include <vector>

#include "compare/vary.h"
#include "diagnose/bounds.h"
#include "penstock/report.h"
#include "plan/plan.h"

namespace penstock {

/// Rates within this part of the best one count as no gain.
inline constexpr double kNoGain = 0.05;

struct SweepRun {
  SweepRow row;
  std::optional<Prediction> predicted;  ///< from the serial run's costs, before this run
  std::optional<Report> report;         ///< nothing: not run (any more)
};

struct Sweep {
  std::string status = "complete";     ///< complete | interrupted | failed
  std::optional<FailureReport> error;  ///< of a failed one
  std::string pipeline;
  double seconds = 0;               ///< of a run at least; 0: by batches
  std::optional<uint64_t> batches;  ///< of a run
  std::vector<Vary> keys;
  std::vector<SweepRun> runs;
};

/// Runs that differ in one setting only, in its order.
struct Curve {
  size_t key = 0;                   ///< index of Sweep::keys: the setting
  std::vector<size_t> runs;         ///< indices of Sweep::runs; all with a report
  std::optional<size_t> serial;     ///< the serial run of the same work
  std::optional<size_t> stops;      ///< index into `runs`: more brings at most kNoGain
  std::optional<size_t> predicted;  ///< the same by the predictions
  /// More than 5 % below the best of them comes after it.
  bool falls = false;
};

/// A curve for each combination of the other keys, over the last key that is a setting and whose
/// values are all numbers; none without such a key.
std::vector<Curve> curves_of(const Sweep& sweep);

/// The costs of a serial run carried over to another setting of the same pipeline: its slots,
/// threads, queues and order on a machine of so many CPUs.
struct Machine {
  size_t cpus = 1;
  std::optional<double> quota;
  int threads = 1;  ///< that `threads: auto` gives
};
Prediction predict_setting(const Costs& serial, const Plan& plan, const Machine& machine);

}  // namespace penstock
