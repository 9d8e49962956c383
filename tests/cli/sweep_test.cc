#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/cli_pipelines.h"
#include "support/command.h"

using namespace penstock::testing;
using nlohmann::json;

namespace {

const std::string kSlow = R"(penstock: 1
name: slow
nodes:
  - {id: make, op: synthetic, params: {items: 64, shape: [3]}}
  - {id: fetch, op: sleep, params: {time: 2ms}}
  - {id: batch, op: collate, params: {batch_size: 4}}
)";

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a sweep runs serially first, then each value, and predicts before it measures") {
  const TempFolder folder;
  const std::string file = folder.write("slow.yaml", kSlow);
  const Outcome outcome = penstock_command({"sweep", file, "--vary", "nodes.fetch.concurrency=1,4",
                                            "--batches", "40", "--format", "json"});
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  const json sweep = json::parse(outcome.out);
  CHECK(sweep["status"] == "complete");
  REQUIRE(sweep["runs"].size() == 3);
  CHECK(sweep["runs"][0]["set"] == json{{"workers", 0}});
  CHECK(sweep["runs"][2]["set"] == json{{"nodes.fetch.concurrency", 4}});
  for (const json& run : sweep["runs"]) {
    CHECK(run["report"]["window"]["batches"] == 32);  // 8 of warm-up
    CHECK(run["report"]["window"]["examples"] == 128);
    CHECK(run["report"]["plan"] == sweep["runs"][0]["report"]["plan"]);
  }
  // Four sleepers at a time cannot be slower than one at a time.
  CHECK(sweep["runs"][2]["report"]["examples_per_s"] >
        sweep["runs"][1]["report"]["examples_per_s"]);
  CHECK(sweep["runs"][0]["predicted"].is_null());
  CHECK(sweep["runs"][1]["predicted"]["examples_per_s"] > 0);
  CHECK(sweep["runs"][2]["predicted"]["limit"].is_string());
}

TEST_CASE("time ends the runs of a sweep, whatever the file says of epochs") {
  const TempFolder folder;
  const std::string file = folder.write("short.yaml", kPlain + "epochs: 1\n");
  const Outcome outcome = penstock_command(
      {"sweep", file, "--vary", "nodes.batch.params.batch_size=2,4", "--seconds", "0.1"});
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  CHECK(outcome.out.rfind("plain: 4 runs, 0.1 s each\n", 0) == 0);
  CHECK(outcome.out.find("\n4 serial ") != std::string::npos);
}

TEST_CASE("every mistake in every row is told before the first run") {
  const TempFolder folder;
  const std::string file = folder.write("slow.yaml", kSlow);
  const Outcome values =
      penstock_command({"sweep", file, "--vary", "nodes.fetch.concurrency=0,1,x"});
  CHECK(values.code == 78);
  CHECK(values.out.empty());
  CHECK(values.err.find("--vary nodes.fetch.concurrency: error[") == 0);
  CHECK(values.err.find("'x'") != std::string::npos);
  const Outcome key = penstock_command({"sweep", file, "--vary", "nodes.fetsch.concurrency=1"});
  CHECK(key.code == 78);
  CHECK(key.err.find("did you mean 'fetch'?") != std::string::npos);
}

TEST_CASE("a sweep's command line that makes no sense is exit code 2") {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"sweep", "x.yaml"}, "error: --vary is required\n  help: penstock sweep --help says more\n"},
      {{"sweep", "x.yaml", "--vary", "threads"},
       "error: --vary threads: a key, '=' and values are due\n"
       "  help: for example --vary nodes.decode.concurrency=1,2,4 or =1..8\n"},
      {{"sweep", "x.yaml", "--vary", "threads=4..1"},
       "error: '4..1' is no range: it must go upwards\n"
       "  help: a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:*FACTOR, as 1..8, 10..50:10 or "
       "1..16:*2\n"},
      {{"sweep", "x.yaml", "--vary", "threads=1", "--vary", "threads=2"},
       "error: --vary threads comes twice\n"
       "  help: give all its values at once, apart by commas\n"},
      {{"sweep", "x.yaml", "--vary", "nodes.a.queue=1", "--vary", "nodes.a.queue.items=2"},
       "error: --vary nodes.a.queue and --vary nodes.a.queue.items set the same\n"
       "  help: vary one of the two\n"},
      {{"sweep", "x.yaml", "--vary", "threads=1,2", "--set", "threads=2"},
       "error: --set threads and --vary threads set the same\n"
       "  help: leave the --set out\n"},
      {{"sweep", "x.yaml", "--vary", "batches=1,2", "--batches", "8"},
       "error: --vary batches would change nothing: each run repeats its epochs until its own "
       "length is reached\n"
       "  help: --seconds or --batches sets the length of each run\n"},
      {{"sweep", "x.yaml", "--vary", "threads=1,2", "--batches", "8", "--seconds", "1"},
       "error: --seconds and --batches exclude each other\n"
       "  help: give one of the two\n"},
  };
  for (const Case& each : cases) {
    const Outcome outcome = penstock_command(each.arguments);
    CHECK(outcome.code == 2);
    CHECK(outcome.err == each.message);
  }
}

TEST_CASE("a serial pipeline is not swept: every run would be the same") {
  const TempFolder folder;
  const std::string file = folder.write("serial.yaml", kPlain + "workers: 0\n");
  const Outcome outcome = penstock_command({"sweep", file, "--vary", "nodes.make.concurrency=1,2"});
  CHECK(outcome.code == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err ==
        "error: with 'workers: 0' every run of a sweep would be the serial run\n"
        "  help: leave it out: a sweep makes a serial run of its own\n");
}

TEST_CASE("a run without a batch fails the sweep and says why") {
  const TempFolder folder;
  const std::string file = folder.write("empty.yaml", kPlain);
  const Outcome outcome = penstock_command({"sweep", file, "--seconds", "0.1", "--set",
                                            "nodes.batch.params.drop_last=true", "--vary",
                                            "nodes.batch.params.batch_size=32,65"});
  CHECK(outcome.code == 1);
  CHECK(outcome.err.find("error: run 3 of 4, serial, nodes.batch.params.batch_size=65: ") !=
        std::string::npos);
  CHECK(outcome.err.find("drops a short one") != std::string::npos);
  CHECK(outcome.out.rfind("plain: 2 runs of 4 (failed)", 0) == 0);
  const Outcome result = penstock_command(
      {"sweep", file, "--batches", "2", "--set", "nodes.batch.params.drop_last=true", "--vary",
       "nodes.batch.params.batch_size=32,65", "--format", "json"});
  CHECK(result.code == 1);
  const json sweep = json::parse(result.out);
  CHECK(sweep["status"] == "failed");
  CHECK(sweep["runs"][1]["report"].is_object());
  CHECK(result.err.find("error: " + sweep["error"]["text"].get<std::string>() + "\n") !=
        std::string::npos);
}

TEST_CASE("an interrupted sweep prints the runs that it made") {
  const TempFolder folder;
  const std::string file = folder.write("slow.yaml", kSlow);
  // The note about predictions is said once the serial run is over.
  const Outcome outcome =
      penstock_command({"sweep", file, "--vary", "nodes.fetch.concurrency=1,2", "--verbosity",
                        "verbose", "--batches", "2000"},
                       {.signals = {{SIGINT, "nodes.fetch.concurrency=2: predicted"}}});
  CHECK(outcome.code == 130);
  CHECK(outcome.out.rfind("slow: 1 run of 3 (interrupted)", 0) == 0);
}

TEST_CASE("the plot is an SVG, and a sweep without gnuplot says how to get it") {
  const TempFolder folder;
  const std::string file = folder.write("slow.yaml", kSlow);
  const std::string picture = (folder / "sweep.svg").string();
  const std::vector<std::string> command = {
      "sweep", file, "--vary", "nodes.fetch.concurrency=1,2", "--batches", "8", "--plot", picture};
  const Outcome drawn = penstock_command(command);
  CHECK(drawn.code == 0);
  if (drawn.err.empty()) CHECK(text_of(picture).find("<svg") != std::string::npos);
  const Outcome missing = penstock_command(command, {.environment = {"PATH=/nonexistent"}});
  CHECK(missing.code == 0);
  CHECK(missing.err == "warning: no plot: gnuplot is missing (apt-get install gnuplot-nox)\n");
  CHECK(missing.out.find("scaling") != std::string::npos);
}
