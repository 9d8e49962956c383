// Every pipeline that ships is checked and run.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/command.h"

using namespace penstock::testing;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::vector<std::string> pipelines() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(PENSTOCK_SOURCE_DIR "/graphs")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Report of a run of four batches.
json report_of(const std::string& file, std::vector<std::string> more = {}) {
  std::vector<std::string> command = {"run", file, "--set", "batches=4", "--format", "json"};
  command.insert(command.end(), more.begin(), more.end());
  const Outcome outcome = penstock_command(command);
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return json::parse(outcome.out);
}

std::string chapter(const char* name) {
  return std::string(PENSTOCK_SOURCE_DIR "/graphs/chapter/") + name;
}

}  // namespace

TEST_CASE("every pipeline in graphs/ is fine and gives batches") {
  const std::vector<std::string> files = pipelines();
  CHECK(files.size() >= 18);
  for (const std::string& file : files) {
    CAPTURE(file);
    const Outcome check = penstock_command({"check", file});
    CHECK(check.code == 0);
    // The one that is for a device says where there is none.
    const bool for_device = file.find("train.yaml") != std::string::npos;
    CHECK((for_device ? check.err.find("error[") == std::string::npos : check.err.empty()));
    CHECK(report_of(file)["status"] == "complete");
  }
}

TEST_CASE("a pipeline of the chapter gives the same batches whatever works on them") {
  const auto digest = [](std::vector<std::string> set) {
    set.emplace_back("--digest");
    return report_of(chapter("sleep.yaml"), set)["digest"];
  };
  const json serial = digest({"--workers", "0"});
  CHECK(serial.is_string());
  CHECK(digest({"--set", "nodes.produce.concurrency=8"}) == serial);
  CHECK(digest({"--set", "consumer.queue.items=8"}) == serial);
}

TEST_CASE("a faster or slower consumer does not change what is said of the stages") {
  struct Expected {
    const char *sleep, *limit, *node;
  };
  for (const Expected& expected : {Expected{"5ms", "node", "slow"},
                                   {"15ms", "node", "slow"},
                                   {"23ms", "consumer", "consumer"}}) {
    CAPTURE(expected.sleep);
    const Outcome outcome =
        penstock_command({"run", chapter("three_consumers.yaml"), "--format", "json", "--set",
                          std::string("consumer.sleep=") + expected.sleep});
    REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
    const json verdict = json::parse(outcome.out)["verdict"];
    INFO(verdict["reason"].get<std::string>());
    CHECK(verdict["limit"] == expected.limit);
    CHECK(verdict["nodes"] == json::array({expected.node}));
  }
}

TEST_CASE("a byte budget bounds what is in flight") {
  const auto in_flight = [](const char* memory) {
    return report_of(chapter("bytes.yaml"), {"--set", memory})["bytes_in_flight_max"].get<double>();
  };
  constexpr double kBatch = 32 * (224 * 224 * 3 + 8);
  CHECK(in_flight("memory=12MiB") < 12 * 1024 * 1024 + 2 * kBatch);
}
