#pragma once
/// The engine for embedding programs: load a pipeline, start it, pull batches, read the report.
/// A program that links libtorch gets at::Tensors through penstock/torch.h.

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/diagnostic.h"
#include "penstock/item.h"
#include "penstock/operator.h"
#include "penstock/report.h"
#include "penstock/tensor.h"

namespace penstock {

class Plan;
class RunImpl;
class RunTrace;
class EngineImpl;

/// A pipeline that cannot work: every mistake at once. what() is the text that users see.
class InvalidPipeline : public std::runtime_error {
 public:
  explicit InvalidPipeline(std::vector<Diagnostic> diagnostics);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }

 private:
  std::vector<Diagnostic> diagnostics_;
};

/// A run that failed: the first error in order, with node, place, sample and cause.
class RunError : public std::runtime_error {
 public:
  explicit RunError(ErrorInfo info);
  const ErrorInfo& info() const { return info_; }

 private:
  ErrorInfo info_;
};

struct LoadOptions {
  std::vector<std::string> set;             ///< "nodes.decode.concurrency=4", as --set
  std::vector<std::string> plugins;         ///< operator libraries, as --plugin
  std::vector<OperatorDef> operators = {};  ///< of the program itself
};

struct EngineOptions {
  int threads = 0;           ///< CPU threads, at most 4096; 0: affinity and cgroup quota
  int64_t memory_bytes = 0;  ///< payload in flight of all its runs; 0: no bound beyond the edges'
};

/// CPU threads, I/O threads and the memory budget; several runs may share one, and keep what they
/// need of it: it may go before them. It changes nothing of the host program's settings. A fork of
/// a process that has started a run has no threads: there runs throw, whether begun before or
/// after, except serial ones; batches that it already has may be read.
class Engine {
 public:
  /// Throws std::invalid_argument for options that make no sense.
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  const std::shared_ptr<EngineImpl>& impl() const { return impl_; }

 private:
  std::shared_ptr<EngineImpl> impl_;
};

struct StartOptions {
  Engine* engine = nullptr;         ///< null: a private one, as the file says
  std::optional<bool> inline_run;   ///< true: `workers: 0`, all work inside next()
  std::optional<uint32_t> epochs;   ///< overrides the file's
  std::optional<uint64_t> batches;  ///< overrides the file's
  uint32_t first_epoch = 0;
  bool record_firings = false;  ///< all of them, for a trace; else of some batches, for the verdict
  /// File for trace events of the whole run (ui.perfetto.dev opens it); empty: none. It is complete
  /// once the run has ended or is gone. What keeps it from being written is a warning.
  std::string trace;
  std::function<void(const std::string&)> on_warning;  ///< any thread; rate is not limited here
};

/// What the consumer gets: named fields and the origins of its samples. Its memory stays valid as
/// long as the fields do, also after the run.
class Batch {
 public:
  Batch() = default;
  Batch(std::shared_ptr<const std::vector<std::string>> names, Item item)
      : names_(std::move(names)), item_(std::move(item)) {}
  /// Samples in the batch; 0 in one that was never received.
  uint64_t size() const { return names_ == nullptr ? 0 : item_.sample_count(); }
  uint32_t epoch() const { return item_.origin.epoch; }
  const std::vector<std::string>& names() const;
  /// Throws std::out_of_range naming the fields that are there.
  const Field& field(std::string_view name) const;
  const Tensor& tensor(std::string_view name) const;
  std::vector<Origin> origins() const;
  const Item& item() const { return item_; }

 private:
  std::shared_ptr<const std::vector<std::string>> names_;
  Item item_;
};

struct Next {
  enum class Kind {
    kBatch,
    kEpochEnd,  ///< `epoch` is complete; the next call gives the first batch of the next one
    kEnd,       ///< the run is over; every further call gives kEnd
    kNotReady,  ///< of try_next() and next(timeout)
  } kind = Kind::kEnd;
  uint32_t epoch = 0;
  Batch batch;
};

/// A stretch of the consumer's work with a name, from its making to its end: in the run's trace,
/// and in the profiler of a CUDA device (as an NVTX range). For the consumer's thread; it must not
/// outlive the run.
class [[nodiscard]] Range {
 public:
  Range(RunImpl* run, const char* name);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  RunImpl* run_;
  const char* name_;
  int64_t begin_;
};

/// A plan in motion. next() and its like are for one thread at a time, the consumer's: a second one
/// in next() gets std::logic_error. stop() and report() may be called from any. The destructor
/// cancels and waits.
class Run {
 public:
  explicit Run(std::unique_ptr<RunImpl> impl, std::shared_ptr<RunTrace> trace = nullptr);
  Run(Run&&) noexcept;
  Run& operator=(Run&&) noexcept;
  ~Run();

  /// Waits for the next batch, end of epoch or end. Throws RunError, once; then the run is over.
  Next next();
  Next next(std::chrono::nanoseconds timeout);
  /// The same for work on a stream of a device: what is put on it afterwards finds the batch whole,
  /// and the calling thread does not wait for the copy. The stream must live until the batch's
  /// tensors are gone. Without a stream, next() returns when the copy is over, and work on the
  /// batch is taken to be on the device's default stream. Throws std::logic_error where the
  /// consumer holds every slot of the device.
  Next next(const DeviceStream& stream);
  Next try_next();
  /// Batches in an epoch, or nothing when a filter, a policy or the data decides.
  std::optional<uint64_t> size() const;
  /// The rest of the epochs before `epoch` is not wanted. Throws std::invalid_argument when it goes
  /// back or the graph has sinks.
  void set_epoch(uint32_t epoch);
  /// Pauses the sources (what is in flight goes on) or lets them go again.
  void hold(bool on);
  /// No further batch is wanted. Returns when every body has ended.
  void stop();
  /// Figures since the start, or over about the last so many seconds.
  Report report(std::optional<double> last_seconds = std::nullopt) const;
  /// Names what the consumer does from here to the end of the range's life: "forward", "backward".
  /// `name` must outlive it.
  Range range(const char* name) { return {impl_.get(), name}; }
  /// A name for a sample: its path or member.
  std::string key(const Origin& origin) const;
  RunImpl& impl() { return *impl_; }

 private:
  Next traced(Next next);
  std::unique_ptr<RunImpl> impl_;
  std::shared_ptr<RunTrace> trace_;
};

/// A validated pipeline. Immutable; may be started any number of times.
class Pipeline {
 public:
  /// Reads, checks and plans; throws InvalidPipeline.
  static Pipeline load(const std::string& path, const LoadOptions& options = {});
  /// The same from a text; relative paths are relative to the current directory.
  static Pipeline parse(const std::string& text, const LoadOptions& options = {});
  /// Every mistake and warning of a file, sorted; empty: it is fine.
  static std::vector<Diagnostic> check(const std::string& path, const LoadOptions& options = {});

  explicit Pipeline(std::shared_ptr<const Plan> plan) : plan_(std::move(plan)) {}
  Run start(const StartOptions& options = {}) const;
  const Plan& plan() const { return *plan_; }
  std::shared_ptr<const Plan> shared_plan() const { return plan_; }

 private:
  std::shared_ptr<const Plan> plan_;
};

}  // namespace penstock
