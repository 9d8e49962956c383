#pragma once
/// What one thread carries while it works for the runtime.

#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/clock.h"
#include "runtime/item_pool.h"

namespace penstock {

class Executor;
class RunCore;
class Unit;
struct Slot;

/// A thread's items, its latest clock reading and the neighbours that it has yet to kick. Kicks
/// are queued here instead of being nested on the stack. Used by its own thread only.
class Worker {
 public:
  explicit Worker(ItemPool* pool) : items(pool) { kicks_.reserve(16); }

  void queue_kick(Unit* unit) {
    for (Unit* queued : kicks_) {
      if (queued == unit) return;
    }
    kicks_.push_back(unit);
  }
  /// Kicks whatever is queued and becomes due through it.
  void drain();
  /// Kicks the unit and everything that becomes due through it.
  void kick(Unit* unit);

  ItemMagazine items;
  int64_t now = 0;             ///< latest clock reading; evaluations on this thread share it
  Slot* candidate = nullptr;   ///< the firing that this CPU worker takes next
  Executor* serves = nullptr;  ///< whose worker this is
  RunCore* run = nullptr;      ///< for whom it works now

  /// The worker of the calling thread while it is inside the runtime, else null.
  static Worker*& current();

 private:
  std::vector<Unit*> kicks_;
};

/// Marks a thread as working with that worker for as long as the object lives.
class WorkerScope {
 public:
  explicit WorkerScope(Worker* worker) : before_(std::exchange(Worker::current(), worker)) {}
  ~WorkerScope() { Worker::current() = before_; }
  WorkerScope(const WorkerScope&) = delete;
  WorkerScope& operator=(const WorkerScope&) = delete;

 private:
  Worker* before_;
};

}  // namespace penstock
