#pragma once
/// The consumer's loop of `run`: takes batches, does the work that stands for the training step and
/// keeps what the report needs.

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "measure/snapshot.h"
#include "penstock/pipeline.h"
#include "plan/plan.h"
#include "report/split.h"

namespace penstock::cli {

/// The work after each batch.
class Work {
 public:
  /// Calibrates the spin when the plan asks for one.
  explicit Work(const ConsumerSpec& spec);
  bool any() const { return spin_iterations_ > 0 || sleep_ns_ > 0; }
  std::optional<uint64_t> spin_iterations() const;
  /// One step; a sleep ends early when `stopped` is set.
  void step(const std::atomic<bool>& stopped) const;
  /// Median of a few steps with nothing else going on, in milliseconds; nothing without work or
  /// when a step is too long for that.
  std::optional<double> reference_ms() const;

 private:
  uint64_t spin_iterations_ = 0;
  int64_t spin_ns_ = 0, sleep_ns_ = 0;
};

struct ConsumeOptions {
  std::optional<uint64_t> warmup;    ///< nothing: decided at the end
  std::optional<uint64_t> expected;  ///< batches until the run ends, where that is known
  bool digest = false;
  std::function<void()> on_first;  ///< called with the first batch there
  std::function<void()> on_batch;  ///< called after the work of each one
};

/// What the loop brought.
struct Consumed {
  std::vector<Delivery> deliveries;
  int64_t started_ns = 0;       ///< on the deliveries' clock
  std::vector<Snapshot> early;  ///< states of the run by number of batches done, from 0 on
  Snapshot begin;               ///< of the window
  std::optional<Snapshot> end;  ///< of the window; there once the loop is over
  uint64_t warmup = 0;
  uint32_t epochs = 0;
  std::optional<std::string> digest;
  std::optional<ErrorInfo> error;
  std::vector<std::string> untrue;  ///< where the first batch is not what its node declares

  /// The deliveries after the warm-up.
  std::span<const Delivery> window() const;
};

/// Set by a signal: the state of the run just before it was stopped.
struct StopState {
  std::atomic<bool> stopped{false};
  std::mutex mutex;
  std::optional<Snapshot> last;
};

/// Consumes the run to its end. RunError is caught and becomes `error`.
Consumed consume(Run& run, const Work& work, const ConsumeOptions& options, StopState& stop);

}  // namespace penstock::cli
