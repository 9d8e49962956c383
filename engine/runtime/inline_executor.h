#pragma once
/// `workers: 0` and seeded schedules: ready firings wait until the thread inside next() takes them.

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "runtime/executor.h"

namespace penstock {

/// Thread-safe: a snapshot may kick from another thread.
class InlineExecutor final : public Executor {
 public:
  explicit InlineExecutor(std::optional<uint64_t> seed) : seed_(seed) {}
  void submit(Slot& slot, Worker& worker) override;
  /// The deepest ready firing, or one drawn by the seed; null: nothing is ready.
  Slot* take();

 private:
  std::optional<uint64_t> seed_;
  std::mutex mutex_;
  std::vector<Slot*> ready_;
};

}  // namespace penstock
