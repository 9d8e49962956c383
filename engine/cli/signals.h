#pragma once
/// Ctrl-C and SIGTERM as an orderly stop.

#include <functional>
#include <mutex>
#include <thread>

namespace penstock::cli {

/// Takes SIGINT and SIGTERM over for the whole process: make it before any other thread. The first
/// signal calls the stop function on a thread of its own, the second ends the process at once with
/// exit code 130, as a first one without a stop function does.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  /// What the first signal does; null: end the process. It must be safe on any thread.
  void on_stop(std::function<void()> stop);

 private:
  void watch();

  std::mutex mutex_;
  std::function<void()> stop_;
  bool ending_ = false;
  std::thread stopper_, watcher_;
};

}  // namespace penstock::cli
