#include "runtime/io_threads.h"

#include <pthread.h>

#include <algorithm>
#include <system_error>

#include "runtime/openmp_limit.h"
#include "runtime/run_core.h"
#include "runtime/unit.h"

namespace penstock {

IoThreads::~IoThreads() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void IoThreads::allow(int count) {
  std::lock_guard lock(mutex_);
  allowed_ = std::max(allowed_, std::min(count, kMost));
}

void IoThreads::push(Slot* slot) {
  bool wake = false;
  {
    std::lock_guard lock(mutex_);
    queue_.push_back(slot);
    if (idle_ >= static_cast<int>(queue_.size())) {
      wake = true;
    } else if (static_cast<int>(threads_.size()) < allowed_) {
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error&) {
        // The system gives no more threads: those that are there do the work. With none there is
        // nobody to do it.
        if (threads_.empty()) throw;
        allowed_ = static_cast<int>(threads_.size());
      }
    }
  }
  if (wake) wake_.notify_one();
}

void IoThreads::work() {
  pthread_setname_np(pthread_self(), "penstock-io");
  const OpenMpLimit one_team_member;
  Worker worker(items_);
  const WorkerScope scope(&worker);
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [this] { return stop_ || !queue_.empty(); });
    --idle_;
    if (queue_.empty()) return;
    Slot* slot = queue_.front();
    queue_.pop_front();
    lock.unlock();
    run_chain(slot, worker);
    lock.lock();
  }
}

// The firing and whatever its own evaluation made ready on this unit's behalf.
void IoThreads::run_chain(Slot* slot, Worker& worker) {
  while (slot != nullptr) {
    RunCore& run = slot->unit->run();
    worker.serves = slot->unit->blocking_executor;
    worker.candidate = nullptr;
    worker.run = &run;
    slot->unit->run_firing(*slot, worker);
    slot = std::exchange(worker.candidate, nullptr);
    worker.serves = nullptr;
    worker.run = nullptr;
    run.leave();
  }
}

}  // namespace penstock
