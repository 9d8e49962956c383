#pragma once
/// One run: units and edges built from a plan, the executors that drive them, the consumer's side
/// and the life cycle.
///
/// Threads: units are evaluated on whatever thread kicks them. The run counts tokens of activity
/// (an active CPU worker, an I/O firing, the consumer inside next(), a kick from outside); whoever
/// gives back the last one decides under the mutex what a quiescent run means: a firing let through
/// the closed memory budget, a stall, or nothing.

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/buffer_pool.h"
#include "runtime/consumer.h"
#include "runtime/edge.h"
#include "runtime/engine_impl.h"
#include "runtime/kinds.h"
#include "runtime/openmp_limit.h"
#include "runtime/run.h"
#include "runtime/worker.h"

namespace penstock {

class InlineExecutor;
class TbbExecutor;

class RunCore final : public RunImpl {
 public:
  RunCore(std::shared_ptr<const Plan> plan, RunOptions options);
  ~RunCore() override;

  // ---- RunImpl ----
  Next next(std::optional<std::chrono::nanoseconds> timeout, const DeviceStream* stream) override;
  void set_epoch(uint32_t epoch) override;
  void hold(bool on) override;
  void stop() override;
  Snapshot snapshot() const override;
  Snapshot end_step() override;
  int64_t step_end() const override;
  RunLog log() const override;
  FiringLog take_firings() override;
  int64_t begin_range(const char* name) override;
  void end_range(const char* name, int64_t begin) override;
  Snapshot snapshot_before(double seconds) const override;
  std::string key(const Origin& origin) const override;
  const Plan& plan() const override { return *plan_; }
  bool serial_run() const override { return inline_ != nullptr; }
  std::string status() const override;
  uint32_t epochs_begun() const override { return epochs_begun_.load(std::memory_order_relaxed); }
  std::vector<ErrorInfo> skipped() const override;

  // ---- for units, on any thread ----
  uint64_t seed() const { return plan_->seed(); }
  uint32_t first_epoch() const { return options_.first_epoch; }
  /// One past the last epoch; kDoneForever when the sources have no end.
  int64_t end_epoch() const { return end_epoch_; }
  /// Whether a unit may begin that epoch by itself. Not when the run ends before it; and not (for
  /// now) when it is far ahead of the consumer, so that a branch of empty epochs comes to rest.
  bool may_begin_epoch(uint32_t epoch);
  bool recording() const { return recording_.load(std::memory_order_relaxed); }
  bool records_all() const { return options_.recording == Recording::kAll; }
  bool serial() const { return options_.scheduling == Scheduling::kInline; }
  bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }
  BufferPool& buffers() { return *buffers_; }
  const std::shared_ptr<ByteAccount>& account() const { return account_; }
  int64_t sample_cost_ns() const { return engine_->sample_cost_ns(); }
  /// Samples that the node sees in an epoch when that is known from its source, else 0.
  uint64_t known_length(const PlanNode& node, uint32_t epoch) const;
  void note_skipped(const ErrorInfo& error);
  Item* make_error_item(const PlanNode& node, const Origin& origin, const std::string& message);
  void sink_error(const Unit& sink, std::shared_ptr<const ErrorInfo> error, uint32_t epoch);
  /// Something changed that next() may wait for.
  void wake_consumer();
  bool gate_closed() const {
    return held_.load(std::memory_order_seq_cst) || engine_->budget()->closed();
  }
  void budget_opened();
  /// Kicks on the calling thread's worker, or from outside.
  void kick_soon(Unit* unit);
  void warn(const std::string& message) const;
  /// Names each body that has run for longer than `stuck_warning_seconds`, once.
  void warn_about_long_bodies();
  /// The run cannot go on, for a reason that lies in no item: next() throws it once it finds
  /// nothing to deliver.
  void fail(const std::string& reason);

  // ---- tokens of activity ----
  void enter() { activity_.fetch_add(1, std::memory_order_relaxed); }
  void leave();

 private:
  class Account;

  void build_edges();
  void build_units();
  void choose_executors();
  void begin();
  void kick_from_outside(Unit* unit);
  void cancel();
  void wait_idle();
  void tear_down();

  // the consumer's side (run_consumer.cc)
  std::optional<Next> step();
  std::optional<Next> take_entry();
  std::optional<Next> finish_epoch();
  std::optional<Next> finish_run();
  Next deliver(Item* item);
  void hand_over(const Item& item);
  void require_free_buffer() const;
  const DeviceMemory* all_held_memory() const;
  std::shared_ptr<ErrorInfo> device_error() const;
  void check_devices();
  [[noreturn]] void raise(const std::shared_ptr<const ErrorInfo>& error);
  void throw_sink_error(int64_t up_to_epoch);
  void stop_consumer();
  bool sinks_reached(uint32_t epochs) const;
  bool sinks_finished() const;
  bool is_quiet();
  Next wait_for_next(std::optional<int64_t> deadline);
  bool sleep(std::optional<int64_t> deadline);
  bool run_inline();
  void enter_epoch(uint32_t epoch);
  void remember_snapshot();
  void remember_mark();
  void choose_recording();
  void collect_firings(Unit::Patience patience);
  /// Nothing: patience ended first.
  std::optional<Snapshot> look(Unit::Patience patience) const;

  // quiescence (run_core.cc)
  SourceUnit* give_token_back();
  SourceUnit* on_quiescent();
  std::string describe_stall() const;
  std::string describe_work() const;

  std::shared_ptr<const Plan> plan_;
  RunOptions options_;
  std::shared_ptr<EngineImpl> engine_;
  int64_t end_epoch_ = kDoneForever;
  uint64_t batch_limit_ = 0;  // 0: none
  std::shared_ptr<ByteAccount> account_;
  std::shared_ptr<BufferPool> buffers_;
  std::vector<std::unique_ptr<Edge>> edges_;
  std::vector<std::unique_ptr<Unit>> units_;
  std::vector<SourceUnit*> sources_;
  std::vector<Unit*> sinks_;
  Edge* sink_edge_ = nullptr;  // into the consumer
  std::unique_ptr<InlineExecutor> inline_;
  OpenMpCalls openmp_;  // of a serial run, whose bodies run in next()
  std::unique_ptr<TbbExecutor> tbb_;
  std::shared_ptr<const std::vector<std::string>> names_;
  int64_t start_ = 0;
  int64_t process_cpu_at_start_ = 0;

  std::atomic<bool> cancelled_{false};
  std::atomic<bool> held_{false};
  std::atomic<bool> recording_{false};
  alignas(64) std::atomic<int> activity_{0};
  std::atomic<uint64_t> admissions_{0};
  mutable std::mutex mutex_;  // quiescence, waking, errors of sinks
  std::condition_variable idle_;
  std::condition_variable wake_;
  std::atomic<int> waiting_{0};
  bool woken_ = false;
  std::string failure_;  // a stall, or what fail() was told
  std::vector<std::pair<uint32_t, std::shared_ptr<const ErrorInfo>>> sink_errors_;  // by unit
  mutable std::mutex skipped_mutex_;
  std::vector<ErrorInfo> skipped_;

  Worker consumer_worker_;
  mutable std::mutex edge_mutex_;  // the consumer's side of the sink edge, against snapshots
  ConsumerClock consumer_;         // has its own lock
  std::atomic<uint32_t> epochs_begun_{0};
  uint32_t consumer_epoch_ = 0;          // epochs whose end the consumer has seen
  std::atomic<int64_t> epoch_bound_{0};  // see may_begin_epoch()
  std::atomic<bool> epoch_refused_{false};
  bool epoch_ended_ = false;  // waits for the sinks to end it too
  uint64_t epoch_batches_ = 0, batches_ = 0;
  std::atomic<bool> finished_{false};  // the consumer takes nothing more
  std::atomic<int> status_{0};
  std::mutex warned_mutex_;
  std::vector<std::pair<uint64_t, int64_t>> warned_;  // firings named by the watchdog
  mutable std::mutex history_mutex_;
  std::vector<Snapshot> history_;
  int64_t next_history_ = 0;
  MarkLog marks_;
  FiringLog recorded_;  // by take_firings(), and the consumer's part
  std::atomic<bool> in_next_{false};
  std::atomic<bool> awaits_device_{false};      // the consumer, in next()
  const DeviceStream* stream_ = nullptr;        // the consumer's, while it is in next()
  std::vector<DeviceMemory*> device_memories_;  // that batches lay in
  bool out_of_buffers_ = false;                 // under mutex_: the consumer waits, and holds all
  int64_t asked_ = -1;                          // first next() for the batch that is awaited
  uint64_t batch_firing_ = 0;
  std::vector<int> cpus_;  // that the process may use
};

}  // namespace penstock
