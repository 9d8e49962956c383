// What a program's trace has of the consumer's work and of copies to a device.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "device/timed_device.h"
#include "penstock/pipeline.h"
#include "support/upload.h"

namespace penstock {
namespace {

using nlohmann::json;

json trace_of(const std::string& path, const StartOptions& start, bool to_the_end) {
  LoadOptions options;
  options.operators.push_back(upload_to(std::make_shared<operators::TimedDevice>()));
  const Pipeline pipeline = Pipeline::parse(
      "penstock: 1\nname: traced\nbatches: 30\nnodes:\n"
      "  - {id: make, op: synthetic, params: {items: 40, shape: [64]}}\n"
      "  - {id: batch, op: collate, params: {batch_size: 4}}\n"
      "  - {id: pin, op: pin}\n  - {id: up, op: upload}\n",
      options);
  {
    StartOptions traced = start;
    traced.trace = path;
    Run run = pipeline.start(traced);
    for (int taken = 0; to_the_end || taken < 10;) {
      const Next next = run.next();
      if (next.kind == Next::Kind::kEnd) break;
      if (next.kind != Next::Kind::kBatch) continue;
      ++taken;
      const Range step = run.range("step");
      const Range forward = run.range("forward");
    }
  }
  std::ifstream file(path);
  return json::parse(file);
}

TEST_CASE("a trace has the ranges of the consumer's work, its waits and the copies") {
  const auto folder = std::filesystem::temp_directory_path() / "penstock_trace_test";
  std::filesystem::create_directories(folder);
  const std::string path = folder / "trace.json";
  for (const bool to_the_end : {true, false}) {
    const size_t batches = to_the_end ? 30 : 10;
    std::map<std::string, size_t> count;
    double last = 0;
    for (const json& event : trace_of(path, {}, to_the_end)) {
      if (event["ph"] != "X") continue;
      ++count[event["name"]];
      if (event["name"] == "host_to_device") {
        CHECK(event["ts"] >= last);
        last = event["ts"];
      }
    }
    CHECK(count["data_wait"] == batches);
    CHECK(count["step"] == batches);
    CHECK(count["forward"] <= batches);  // one without a length is left out
    CHECK(count["host_to_device"] >= batches - 3);
    CHECK(count["up"] >= batches);
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a trace that cannot be written: at once where it cannot be begun") {
  CHECK_THROWS_WITH_AS(trace_of("/nowhere/at/all", {}, true), doctest::Contains("/nowhere/at/all"),
                       std::runtime_error);
  std::vector<std::string> warnings;
  StartOptions start;
  start.on_warning = [&warnings](const std::string& text) { warnings.push_back(text); };
  if (std::filesystem::exists("/dev/full")) {
    CHECK_THROWS_AS(trace_of("/dev/full", start, true), json::parse_error);  // the run went on
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("cannot write the trace to /dev/full") != std::string::npos);
  }
}

}  // namespace
}  // namespace penstock
