#pragma once
/// Runs of one pipeline for some time, for verbs that measure it in several settings.

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/consume.h"
#include "cli/signals.h"
#include "measure/run_log.h"
#include "penstock/pipeline.h"

namespace penstock::cli {

/// Passes the first signal on to the run that goes on now, and remembers it.
class Interrupter {
 public:
  Interrupter(SignalWatch& signals, Console& console);
  ~Interrupter();
  Interrupter(const Interrupter&) = delete;
  Interrupter& operator=(const Interrupter&) = delete;
  const std::atomic<bool>& interrupted() const { return interrupted_; }
  /// The run to stop; null: none.
  void watch(Run* run);

 private:
  SignalWatch& signals_;
  std::mutex mutex_;
  Run* run_ = nullptr;
  std::atomic<bool> interrupted_{false};
};

struct TimedRun {
  std::string label;          ///< for the line of progress
  double seconds = 2;         ///< at least; longer until there are enough batches for a verdict
  double longest_times = 10;  ///< ... but at most so many times as long
  std::optional<uint64_t> batches;  ///< so many instead, however long they take
  bool serial = false;              ///< `workers: 0`
  bool consumer_works = true;
  std::function<void(const Batch&)> on_batch;  ///< called with each; counts as the consumer's work
};

/// What it brought.
struct Timed {
  RunLog log;
  Report report;        ///< without the warm-up; with the verdict
  Snapshot begin, end;  ///< of the report's window
};

/// Prints what ended a series of runs in the one that is called `label`, and gives it back.
FailureReport failed(const std::string& label, const std::exception& error);

/// Runs the pipeline, epoch after epoch, until the time is over. Nothing: interrupted. Throws
/// RunError when the run fails.
std::optional<Timed> timed_run(const Pipeline& pipeline, const Work& work,
                               std::optional<double> reference_ms, const TimedRun& how,
                               Console& console, Interrupter& interrupter);

}  // namespace penstock::cli
