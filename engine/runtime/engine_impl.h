#pragma once
/// What several runs share: CPU threads, I/O threads, items, the memory budget.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "penstock/pipeline.h"
#include "runtime/io_threads.h"
#include "runtime/item_pool.h"

namespace penstock {

class RunCore;
class TbbArena;

/// Bytes in flight of all runs of an engine against one bound; 0: no bound. Thread-safe.
class MemoryBudget {
 public:
  explicit MemoryBudget(int64_t bound) : bound_(bound) {}
  bool closed() const { return bound_ > 0 && live_.load(std::memory_order_seq_cst) >= bound_; }
  void add(size_t bytes) { live_.fetch_add(static_cast<int64_t>(bytes)); }
  void drop(size_t bytes);
  void join(RunCore* run);
  void leave(RunCore* run);

 private:
  const int64_t bound_;
  std::atomic<int64_t> live_{0};
  std::mutex mutex_;
  std::vector<RunCore*> runs_;
};

/// Thread-safe. Its runs share its ownership.
class EngineImpl {
 public:
  /// threads 0: affinity and cgroup quota. `warn` may be empty.
  EngineImpl(int threads, int64_t memory_bytes);
  ~EngineImpl();
  EngineImpl(const EngineImpl&) = delete;
  EngineImpl& operator=(const EngineImpl&) = delete;

  int threads() const { return threads_; }
  /// Makes sure that a run finds its threads: those of the CPU, and `io` of those that wait. Fewer
  /// of the latter do, with a warning in the answer (else empty). Throws std::runtime_error where
  /// the system gives too few.
  std::string prepare(int io);
  /// The CPU threads; after prepare().
  TbbArena& arena() { return *arena_; }
  IoThreads& io() { return io_; }
  ItemPool& items() { return items_; }
  const std::shared_ptr<MemoryBudget>& budget() const { return budget_; }
  int64_t sample_cost_ns() const { return sample_cost_ns_; }

 private:
  const int threads_;
  const int64_t sample_cost_ns_;
  std::shared_ptr<MemoryBudget> budget_;
  ItemPool items_;
  IoThreads io_;
  std::mutex mutex_;
  std::unique_ptr<TbbArena> arena_;
};

}  // namespace penstock
