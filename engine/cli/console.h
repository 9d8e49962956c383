#pragma once
/// What a run says on stderr while it goes on: warnings and one line of progress.

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "cli/common.h"

namespace penstock::cli {

/// Thread-safe. Warnings: the first ten at once, then one a second, the rest counted and summed up
/// by finish(); all of them when verbose, none when quiet. Progress only on a terminal.
class Console {
 public:
  explicit Console(Verbosity verbosity);
  ~Console() { finish(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  bool shows_progress() const { return terminal_ && verbosity_ != Verbosity::kQuiet; }
  void warn(const std::string& message);
  /// Something worth knowing that is no warning.
  void note(const std::string& message);
  /// Only when verbose.
  void detail(const std::string& message);
  /// Replaces the line of progress.
  void progress(const std::string& line);
  /// Removes the line of progress and sums up the warnings that were not shown.
  void finish();

 private:
  void line(const char* colour, const char* word, const std::string& message);
  void clear_progress();

  const Verbosity verbosity_;
  const bool terminal_;
  std::mutex mutex_;
  bool progress_shown_ = false;
  uint64_t warnings_ = 0, hidden_ = 0;
  std::chrono::steady_clock::time_point last_warning_{};
};

}  // namespace penstock::cli
