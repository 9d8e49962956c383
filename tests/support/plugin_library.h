#pragma once
/// Operator libraries that are compiled by the test.

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace penstock::testing {

/// A folder that goes with the test.
class Scratch {
 public:
  Scratch() {
    static std::atomic<int> count{0};
    path_ = std::filesystem::temp_directory_path() /
            ("penstock-loader-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    std::filesystem::create_directories(path_);
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
    return file(name);
  }

  /// Compiles a library; the code may use the public headers.
  std::string library(const std::string& name, const std::string& code,
                      const std::string& flags = "") const {
    const std::string source = write(name + ".cc", code);
    const std::string command = "c++ -std=c++20 -O0 -shared -fPIC " + flags +
                                " -I'" PENSTOCK_SOURCE_DIR "/engine/include' '" + source +
                                "' -o '" + file(name + ".so") + "'";
    REQUIRE(std::system(command.c_str()) == 0);
    return file(name + ".so");
  }

 private:
  std::filesystem::path path_;
};

inline std::string bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// `bytes` with the first occurrence of `from` replaced.
inline std::string with(std::string bytes, const std::string& from, const std::string& to) {
  const size_t at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  return bytes.replace(at, from.size(), to);
}

/// A library with one operator "idle" that does nothing; `registration` may add to it.
inline std::string plugin_code(const std::string& name, const std::string& registration,
                               const std::string& before = "") {
  return R"(#include "penstock/plugin.h"
)" + before +
         R"(
namespace {
class Nothing : public penstock::Operator {};
[[maybe_unused]] penstock::OperatorDef nothing(const char* name) {
  return {penstock::Schema(name, penstock::Kind::kMap, "Does nothing."),
          [](const penstock::Params&) { return std::make_unique<Nothing>(); }};
}
void register_operators([[maybe_unused]] penstock::OperatorSink& sink) {
)" + registration +
         R"( }
}
PENSTOCK_PLUGIN(")" +
         name + R"(", "1.2", "tests", "none", register_operators))";
}

}  // namespace penstock::testing
