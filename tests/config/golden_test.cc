// Walks tests/golden/config: NAME.yaml must give NAME.txt, the exact text of all diagnostics and,
// where the file loads, the resolved pipeline. Lines "# --set path=value" at the top are applied.
// PENSTOCK_UPDATE_GOLDEN=1 writes the texts anew; read the difference before you commit it.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "config/load.h"
#include "config/need.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

/// Work in a folder until the end of the scope.
class InFolder {
 public:
  explicit InFolder(const fs::path& folder) : before_(fs::current_path()) {
    fs::current_path(folder);
  }
  ~InFolder() { fs::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  fs::path before_;
};

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> sets_of(const std::string& text) {
  constexpr std::string_view kMark = "# --set ";
  std::vector<std::string> sets;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line) && line.starts_with(kMark);) {
    sets.push_back(line.substr(kMark.size()));
  }
  return sets;
}

std::string without_folder(std::string text) {
  const std::string here = fs::current_path().string();
  for (size_t at = text.find(here); at != std::string::npos; at = text.find(here)) {
    text.replace(at, here.size(), "HERE");
  }
  return text;
}

std::string golden_text(const std::string& file, std::vector<Diagnostic>* diagnostics) {
  const auto spec = load_file(file, sets_of(read_text(file)), diagnostics);
  std::string text = format_text(*diagnostics);
  if (spec) text += resolved_yaml(*spec);
  return without_folder(text);
}

void set_environment() {
  setenv("PENSTOCK_TEST_NAME", "dogs", 1);
  setenv("PENSTOCK_TEST_NUMBER", "12", 1);
  setenv("PENSTOCK_TEST_LIST", "[1, 2]: # x", 1);
  setenv("PENSTOCK_TEST_EMPTY", "", 1);
  unsetenv("PENSTOCK_TEST_UNSET");
}

std::vector<std::string> golden_files() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(".")) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("every mistake gives its exact text, and a good file its resolved form") {
  const InFolder folder(fs::path(PENSTOCK_SOURCE_DIR) / "tests/golden/config");
  set_environment();
  const bool update = std::getenv("PENSTOCK_UPDATE_GOLDEN") != nullptr;
  const std::vector<std::string> files = golden_files();
  CHECK(files.size() > 40);
  for (const std::string& file : files) {
    CAPTURE(file);
    std::vector<Diagnostic> diagnostics;
    const std::string actual = golden_text(file, &diagnostics);
    const fs::path expected = fs::path(file).replace_extension(".txt");
    if (update) std::ofstream(expected, std::ios::binary) << actual;
    CHECK(actual == read_text(expected));
  }
}

TEST_CASE("each error code of the room occurs in a golden text") {
  const InFolder folder(fs::path(PENSTOCK_SOURCE_DIR) / "tests/golden/config");
  set_environment();
  std::set<std::string> seen;
  for (const std::string& file : golden_files()) {
    std::vector<Diagnostic> diagnostics;
    golden_text(file, &diagnostics);
    for (const Diagnostic& diagnostic : diagnostics) seen.insert(diagnostic.code);
  }
  for (const char* code :
       {"bad-value",     "cannot-read",          "duplicate-id", "duplicate-key",
        "empty-file",    "env-syntax",           "env-unset",    "format-version",
        "include-cycle", "include-twice",        "missing-key",  "not-supported",
        "set-syntax",    "several-documents",    "too-deep",     "too-many-values",
        "unknown-key",   "unknown-path",         "wrong-type",   "yaml-alias",
        "yaml-key",      "yaml-merge",           "yaml-syntax",  "yaml-tab",
        "yaml-tag",      "queue-without-threads"}) {
    CAPTURE(code);
    CHECK(seen.count(code) == 1);
  }
}

TEST_CASE("a resolved pipeline loads again and resolves to itself") {
  const InFolder folder(fs::path(PENSTOCK_SOURCE_DIR) / "tests/golden/config");
  set_environment();
  int loaded = 0;
  for (const std::string& file : golden_files()) {
    CAPTURE(file);
    std::vector<Diagnostic> diagnostics;
    const auto spec = load_file(file, sets_of(read_text(file)), &diagnostics);
    if (!spec) continue;
    ++loaded;
    const std::string text = resolved_yaml(*spec);
    CHECK(resolve_again(text) == text);
  }
  CHECK(loaded >= 6);
}

}  // namespace penstock
