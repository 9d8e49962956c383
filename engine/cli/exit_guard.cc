#include "cli/exit_guard.h"

#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <string_view>

#include "cli/common.h"

namespace penstock::cli {
namespace {

std::atomic<int> guards{0};

void refuse_exit() {
  if (guards.load() <= 0) return;
  constexpr std::string_view kText =
      "error: an operator, or a library that it uses, ended the program by exit()\n";
  static_cast<void>(!write(STDERR_FILENO, kText.data(), kText.size()));
  std::_Exit(kFailed);
}

}  // namespace

ExitGuard::ExitGuard() {
  static_cast<void>(std::atexit(refuse_exit));
  ++guards;
}
ExitGuard::~ExitGuard() { --guards; }

void ExitGuard::allow_exit() { guards.store(INT_MIN / 2); }

}  // namespace penstock::cli
