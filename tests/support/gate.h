#pragma once
/// A gate for bodies: they wait at it until the test opens it. Nothing waits for ever: after a
/// minute both sides throw, which shows as a failing test instead of a hang.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

namespace penstock::testing {

class Gate {
 public:
  /// Called by a body.
  void pass() {
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    if (!changed_.wait_for(lock, kLimit, [this] { return open_; })) {
      throw std::runtime_error("nobody opened the gate");
    }
  }
  /// Called by the test: returns once so many bodies have come.
  void wait_for_arrivals(int count) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kLimit, [&] { return arrived_ >= count; })) {
      throw std::runtime_error("nobody came to the gate");
    }
  }
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  int arrived() {
    std::lock_guard lock(mutex_);
    return arrived_;
  }

 private:
  static constexpr std::chrono::seconds kLimit{60};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int arrived_ = 0;
};

}  // namespace penstock::testing
