#pragma once
/// Ready firings of one run, deepest first: downstream work comes before upstream work, so that few
/// items are in flight.

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <thread>
#include <vector>

#include "runtime/slot.h"
#include "runtime/small_vector.h"

namespace penstock {

/// One first-in first-out ring per depth and a mask of the depths that are not empty. push() and
/// pop() need the lock; mask() and work() are hints that may be read without.
class ReadyQueue {
 public:
  /// `slots_at` holds, for each depth, how many slots may be ready at most.
  explicit ReadyQueue(const std::vector<int>& slots_at);

  class Lock {
   public:
    explicit Lock(ReadyQueue& queue) : queue_(queue) { queue_.acquire(); }
    ~Lock() {
      if (held_) queue_.release();
    }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;
    void unlock() {
      queue_.release();
      held_ = false;
    }
    void lock() {
      queue_.acquire();
      held_ = true;
    }

   private:
    ReadyQueue& queue_;
    bool held_ = true;
  };

  void push(Slot* slot, int depth);
  Slot* pop();
  int size() const { return size_; }
  uint64_t mask() const { return mask_.load(std::memory_order_relaxed); }
  /// Sum of the `worth` of what is ready.
  uint64_t work() const { return work_.load(std::memory_order_relaxed); }
  static int level(int depth) { return depth < 63 ? depth : 63; }

 private:
  struct alignas(64) Ring {
    uint32_t head = 0, tail = 0, mask = 0;
    SmallVector<Slot*, 2> places;
  };
  void acquire() {
    int tries = 0;
    while (locked_.exchange(true, std::memory_order_acquire)) {
      while (locked_.load(std::memory_order_relaxed)) {
        if (++tries < 200) {
          __builtin_ia32_pause();
        } else {
          std::this_thread::yield();
          tries = 0;
        }
      }
    }
  }
  void release() { locked_.store(false, std::memory_order_release); }

  std::array<Ring, 64> rings_;
  alignas(64) std::atomic<bool> locked_{false};
  int size_ = 0;
  std::atomic<uint64_t> mask_{0};
  std::atomic<uint64_t> work_{0};
};

}  // namespace penstock
