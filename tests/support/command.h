#pragma once
/// Runs the real executable and keeps what it said.

#include <filesystem>
#include <string>
#include <vector>

namespace penstock::testing {

struct Outcome {
  int code = -1;  ///< exit code; 128 + signal where one ended it
  std::string out, err;
};

struct CommandOptions {
  std::vector<std::string> environment;  ///< "LC_ALL=C", added to ours
  std::string directory;                 ///< empty: ours
  std::string stdout_path;               ///< stdout goes there instead of Outcome::out
  int signal = 0;                        ///< sent `signal_after_s` after the start; 0: none
  double signal_after_s = 0;
  int signals = 1;  ///< how often, `signal_after_s` apart
};

/// `penstock ARGUMENTS...`; a run that takes longer than a minute is killed (code 137).
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
