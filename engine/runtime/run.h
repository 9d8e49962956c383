#pragma once
/// A run inside the engine room: what Pipeline, the command line and the tests drive.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "measure/firing.h"
#include "measure/run_log.h"
#include "measure/snapshot.h"
#include "penstock/pipeline.h"
#include "plan/plan.h"

namespace penstock {

/// How firings are chosen: for the product, and for tests that drive the same units by a seed.
enum class Scheduling : uint8_t {
  kThreads,        ///< TBB workers for CPU units, I/O threads for blocking ones
  kUpstreamFirst,  ///< as kThreads in the worst order, so that all edges run full: for tests, bench
  kInline,         ///< `workers: 0`: the thread inside next() is the only worker
  kSeeded,  ///< as kInline, but the next firing is drawn by `schedule_seed`, slots and capacities
            ///< as planned: for tests
};

/// Which firings are recorded one by one.
enum class Recording : uint8_t {
  kSome,  ///< of 32 batches in 256, for the critical path
  kAll,   ///< all, for a trace: whoever asks for it takes them in time
};

struct RunOptions {
  Scheduling scheduling = Scheduling::kThreads;
  uint64_t schedule_seed = 0;
  int threads = 0;                          ///< of a private engine; 0: affinity and quota
  std::shared_ptr<EngineImpl> engine;       ///< null: a private one
  std::optional<uint64_t> epochs, batches;  ///< override the plan's
  uint32_t first_epoch = 0;
  Recording recording = Recording::kSome;
  std::optional<uint64_t> memory_bytes;  ///< overrides the plan's budget
  double stuck_warning_seconds = 30;     ///< a body longer than that is named once
  std::function<void(const std::string&)> on_warning;
};

/// See penstock::Run for the meaning and the threads of each call.
class RunImpl {
 public:
  static std::unique_ptr<RunImpl> start(std::shared_ptr<const Plan> plan, RunOptions options);
  virtual ~RunImpl() = default;
  virtual Next next(std::optional<std::chrono::nanoseconds> timeout,
                    const DeviceStream* stream = nullptr) = 0;
  virtual void set_epoch(uint32_t epoch) = 0;
  virtual void hold(bool on) = 0;
  virtual void stop() = 0;
  virtual Snapshot snapshot() const = 0;
  /// The state with the work after the last batch done; called by the consumer before next().
  virtual Snapshot end_step() = 0;
  /// When that work ended, in nanoseconds since the run's start; now where it goes on.
  virtual int64_t step_end() const = 0;
  /// States and batches of the run so far, thinned; ends before the run's own end by at most a
  /// part of what its last states are apart.
  virtual RunLog log() const = 0;
  /// Firings recorded since the last call. Like next(), by one thread at a time.
  virtual FiringLog take_firings() = 0;
  /// A stretch of the consumer's work with a name, from begin_range() on; by the consumer's thread.
  virtual int64_t begin_range(const char* name) = 0;
  virtual void end_range(const char* name, int64_t begin) = 0;
  virtual std::string key(const Origin& origin) const = 0;
  virtual const Plan& plan() const = 0;
  /// One thread does everything (`workers: 0`).
  virtual bool serial_run() const = 0;
  /// "complete", "stopped" or "failed"; "running" before.
  virtual std::string status() const = 0;
  /// Epochs that the consumer has seen the beginning of.
  virtual uint32_t epochs_begun() const = 0;
  /// Errors that a skip policy swallowed, the first 1000: for the report.
  virtual std::vector<ErrorInfo> skipped() const = 0;
  /// The snapshot nearest to `seconds` ago (or the first).
  virtual Snapshot snapshot_before(double seconds) const = 0;
};

}  // namespace penstock
