#pragma once
/// The line of progress while a run goes on.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cli/console.h"
#include "penstock/pipeline.h"

namespace penstock::cli {

/// Reads the run's clocks twice a second and shows items, examples a second and the busiest node,
/// on a thread of its own; does nothing where there is no terminal. Must end before the run.
class Progress {
 public:
  /// `label` stands before the figures: which of several runs this is.
  Progress(Run& run, Console& console, std::string label = "");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void show();

  Run& run_;
  Console& console_;
  const std::string label_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ending_ = false;
  std::thread thread_;
};

}  // namespace penstock::cli
