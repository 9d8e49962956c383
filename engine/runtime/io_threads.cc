#include "runtime/io_threads.h"

#include <pthread.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

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
  if (count > 0 && threads_.empty()) add_thread();
  allowed_ = std::max(allowed_, std::min(count, kMost));
}

int IoThreads::allowed() const {
  std::lock_guard lock(mutex_);
  return allowed_;
}

// What a thread needs is there before it starts: nothing in it throws.
void IoThreads::add_thread() {
  threads_.reserve(threads_.size() + 1);
  threads_.emplace_back(
      [this, worker = std::make_unique<Worker>(items_)]() mutable { work(*worker); });
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
        add_thread();
      } catch (const std::exception&) {
        // The system gives no more of them: those that are there do the work.
        allowed_ = static_cast<int>(threads_.size());
      }
    }
  }
  if (wake) wake_.notify_one();
}

void IoThreads::work(Worker& worker) {
  pthread_setname_np(pthread_self(), "penstock-io");
  const OpenMpLimit one_team_member;
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
    settle_clock();
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
