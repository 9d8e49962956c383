// The commands that the documentation shows, on pipelines in the tree, made short.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/command.h"

using namespace penstock::testing;
namespace fs = std::filesystem;

namespace {

using Words = std::vector<std::string>;

/// Words of a shell's line; single quotes hold one together, '#' begins a comment.
Words words_of(const std::string& line) {
  Words words;
  bool quoted = false, open = false;
  for (const char c : line) {
    if (c == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (!quoted && c == '#' && !open) {
      break;
    } else if (!quoted && c == ' ') {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

/// Commands of the pages' code blocks that run a pipeline of the tree.
std::vector<Words> commands_of(const std::string& page) {
  std::ifstream file(page);
  std::vector<Words> commands;
  std::string line;
  for (bool code = false; std::getline(file, line);) {
    if (line.starts_with("```")) code = !code;
    const size_t at = line.find("penstock ");
    if (!code || at == std::string::npos || line.substr(0, at).find('#') != std::string::npos) {
      continue;
    }
    Words words = words_of(line.substr(at));
    if (words.size() > 2 && fs::exists(fs::path(PENSTOCK_SOURCE_DIR) / words[2])) {
      commands.emplace_back(words.begin() + 1, words.end());
    }
  }
  return commands;
}

/// The same command with runs of a few batches and no output file.
Words shortened(const Words& command) {
  Words result;
  for (size_t i = 0; i < command.size(); ++i) {
    if (command[i] == ">" || command[i] == "|") break;
    const bool length = command[i] == "--seconds" || command[i] == "--batches" ||
                        command[i] == "--pairs" || command[i] == "--plot" ||
                        command[i] == "--fail-if" || command[i] == "--warmup";
    if (length) {
      ++i;
    } else {
      result.push_back(command[i]);
    }
  }
  const std::string& verb = command.front();
  if (verb == "sweep" || verb == "compare" || verb == "run") {
    result.insert(result.end(), {"--batches", "2"});
  }
  if (verb == "compare") result.insert(result.end(), {"--pairs", "1"});
  return result;
}

}  // namespace

TEST_CASE("the pages' commands work") {
  size_t count = 0;
  for (const char* page : {"docs/comparing.md", "docs/chapter.md"}) {
    for (const Words& command : commands_of(std::string(PENSTOCK_SOURCE_DIR "/") + page)) {
      if (command.front() == "diagnose") continue;  // seconds long; it has tests of its own
      std::ostringstream text;
      for (const std::string& word : shortened(command)) text << word << " ";
      CAPTURE(text.str());
      const Outcome outcome =
          penstock_command(shortened(command), {.directory = PENSTOCK_SOURCE_DIR});
      CHECK_MESSAGE(outcome.code == 0, outcome.err);
      ++count;
    }
  }
  CHECK(count >= 14);
}
