#pragma once
/// Operators are foreign code: one that calls exit() would end the program as if all were well, or
/// take its globals away under running threads.

namespace penstock::cli {

/// While one lives, exit() by whomever says so on stderr and ends the program at once, with
/// kFailed. Make another one after libraries were loaded: what was registered last is called first.
class ExitGuard {
 public:
  ExitGuard();
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

  /// In this process exit() is allowed from now on: a child whose end its parent looks at.
  static void allow_exit();
};

}  // namespace penstock::cli
