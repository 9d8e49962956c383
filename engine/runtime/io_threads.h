#pragma once
/// Penstock's own threads for bodies that wait (disks, networks, devices). A second TBB arena would
/// lose its workers to the first one and spin when woken.

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/item_pool.h"

namespace penstock {

struct Slot;

/// Runs firings of any run, first come first served; grows to the largest number asked for.
/// Thread-safe.
class IoThreads {
 public:
  explicit IoThreads(ItemPool* items) : items_(items) {}
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  static constexpr int kMost = 1024;
  /// At least `count` threads may exist at a time from now on (at most kMost). The first is made
  /// here, so that there is one whatever happens later; throws std::system_error where it cannot
  /// be. The others are made when work asks for them.
  void allow(int count);
  int allowed() const;
  /// The run holds a token for the firing until it has been evaluated.
  void push(Slot* slot);

 private:
  void add_thread();
  void work(class Worker& worker);
  void run_chain(Slot* slot, Worker& worker);

  ItemPool* items_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Slot*> queue_;
  std::vector<std::thread> threads_;
  int allowed_ = 0;
  int idle_ = 0;
  bool stop_ = false;
};

}  // namespace penstock
