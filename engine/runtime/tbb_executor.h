#pragma once
/// The CPU side of a run on oneTBB: a flow graph whose messages are activations, never payload.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/executor.h"
#include "runtime/ready_queue.h"

namespace penstock {

class EngineImpl;
class RunCore;
class Unit;

/// The arena of an engine, and a global_control only where the active value is too low.
class TbbArena {
 public:
  explicit TbbArena(int threads);
  ~TbbArena();
  TbbArena(const TbbArena&) = delete;
  TbbArena& operator=(const TbbArena&) = delete;
  /// Empty, or why fewer threads than asked for will work.
  const std::string& warning() const { return warning_; }
  struct Parts;
  Parts& parts() { return *parts_; }

 private:
  std::unique_ptr<Parts> parts_;
  std::string warning_;
};

/// Runs the firings of one run. Each CPU unit owns a function_node, each blocking one an
/// async_node in front of the I/O threads. An activation starts a worker at its node; a worker
/// keeps taking the deepest ready firing until nothing is ready, parks for up to 10 ms, then
/// returns its thread to TBB. At most P workers are active; another one is rented when the work
/// that it would do meanwhile has added up to the price of a wake.
class TbbExecutor final : public Executor {
 public:
  TbbExecutor(RunCore& run, EngineImpl& engine, const std::vector<std::unique_ptr<Unit>>& units);
  ~TbbExecutor() override;

  void submit(Slot& slot, Worker& worker) override;
  bool takes_next(const Unit& unit, const Worker& worker) const override;
  /// Wakes parked workers and returns when no worker of this run is left. The run is quiescent.
  void shutdown();
  /// An activation that TBB has not begun yet is offered to it once more; any thread. oneTBB 2021.8
  /// now and then leaves the first task of a new arena lying when another arena has just gone: its
  /// worker spins outside until something else is enqueued. Where a thread could not be started,
  /// the caller does the worker's part itself: the run has failed, and nothing of it may wait.
  void offer_again();
  /// There is such an activation.
  bool awaits_worker() const {
    return begun_.load(std::memory_order_relaxed) != launched_.load(std::memory_order_relaxed);
  }
  /// Where blocking units submit: straight to the I/O threads, behind their async_node.
  Executor& blocking();

 private:
  class Gateway;
  struct Graph;

  enum class Wake : uint8_t { kNone, kParked, kLaunch };
  void push(Slot& slot, bool from_outside);
  Wake wake_locked();
  void launch(Unit& unit);
  template <typename Task>
  void enqueue(Task task);
  Slot* next(Worker& worker);
  Slot* next_queued();
  bool park();
  bool worth_waking(uint64_t own, uint64_t behind);
  void maybe_wake(Slot& slot);
  bool claim();
  void begin_worker() noexcept;  // TBB would swallow what is thrown, and lose the worker
  void work(Worker& worker);
  void run(Slot& slot, Worker& worker);
  void leave_worker();

  RunCore& run_;
  EngineImpl& engine_;
  const int threads_;
  std::shared_ptr<Graph> graph_;
  std::unique_ptr<Gateway> gateway_;

  ReadyQueue queue_;            // guarded by its own lock()
  int64_t owed_ = 0;            // parallelism lost since the last wake; under the queue's lock
  std::atomic<int> active_{0};  // workers that are not parked
  std::atomic<int> parked_{0};
  std::atomic<int> long_bodies_{0};
  std::mutex park_mutex_;
  std::condition_variable park_;
  int wake_tokens_ = 0;
  std::atomic<bool> stop_{false};
  std::atomic<bool> unstartable_{false};  // TBB could not start a thread
  std::mutex live_mutex_;
  std::condition_variable live_changed_;
  int live_ = 0;                                  // activations and workers that exist
  std::atomic<uint64_t> launched_{0}, begun_{0};  // activations put, and those that run or ran
};

}  // namespace penstock
