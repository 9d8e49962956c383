#include "cli/console.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "report/words.h"

namespace penstock::cli {
namespace {

constexpr uint64_t kWarningsAtOnce = 10;
constexpr auto kWarningPause = std::chrono::seconds(1);
constexpr size_t kProgressWidth = 79, kMostProgressWidth = 99;

/// Columns that a line may have without going on in the next row.
size_t width_of_terminal() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2) return kProgressWidth;
  return std::min<size_t>(size.ws_col - 1U, kMostProgressWidth);
}

}  // namespace

Console::Console(Verbosity verbosity)
    : verbosity_(verbosity), terminal_(isatty(STDERR_FILENO) != 0) {}

void Console::warn(const std::string& message) {
  const std::lock_guard lock(mutex_);
  ++warnings_;
  if (verbosity_ == Verbosity::kQuiet) return;
  const auto now = std::chrono::steady_clock::now();
  if (verbosity_ == Verbosity::kNormal && warnings_ > kWarningsAtOnce &&
      now - last_warning_ < kWarningPause) {
    ++hidden_;
    return;
  }
  last_warning_ = now;
  line("\033[33m", "warning", message);
}

void Console::note(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (verbosity_ != Verbosity::kQuiet) line("", "note", message);
}

void Console::detail(const std::string& message) {
  const std::lock_guard lock(mutex_);
  if (verbosity_ == Verbosity::kVerbose) line("", "note", message);
}

void Console::progress(const std::string& line) {
  const std::lock_guard lock(mutex_);
  if (!shows_progress()) return;
  write_stderr("\r\033[K" + fit(line, width_of_terminal()));
  progress_shown_ = true;
}

void Console::finish() {
  const std::lock_guard lock(mutex_);
  clear_progress();
  if (hidden_ > 0) {
    line("\033[33m", "warning",
         fmt::format("{} not shown (--verbosity verbose shows all)",
                     count_text(hidden_, "further warning", "further warnings")));
    hidden_ = 0;
  }
}

void Console::line(const char* colour, const char* word, const std::string& message) {
  clear_progress();
  const bool coloured = terminal_ && *colour != '\0';
  write_stderr(fmt::format("{}{}:{} {}\n", coloured ? colour : "", word, coloured ? "\033[0m" : "",
                           printable(message)));
}

void Console::clear_progress() {
  if (progress_shown_) write_stderr("\r\033[K");
  progress_shown_ = false;
}

}  // namespace penstock::cli
