#pragma once
/// Runs the real executable and keeps what it said.

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace penstock::testing {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal where one ended it
  std::string out, err;
};

struct CommandOptions {
  std::vector<std::string> environment;  ///< "LC_ALL=C", added to ours
  std::string directory;                 ///< empty: ours
  std::vector<std::string> under;        ///< a command that runs it: {"prlimit", "--nofile=12"}
  std::string stdout_path;               ///< stdout goes there instead of Outcome::out
  /// Signals to send, each as soon as stderr holds the text beside it.
  std::vector<std::pair<int, std::string>> signals;
  std::function<void()> on_start;  ///< called once the program has its stdout
  double seconds = 60;             ///< a program that takes longer is killed (code 137)
};

/// `penstock ARGUMENTS...`.
Outcome penstock_command(const std::vector<std::string>& arguments,
                         const CommandOptions& options = {});

/// A folder that goes with the test.
class TempFolder {
 public:
  TempFolder();
  ~TempFolder();
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  /// Writes a file (folders on the way are made) and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace penstock::testing
