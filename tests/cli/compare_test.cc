#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/cli_pipelines.h"
#include "support/command.h"

using namespace penstock::testing;
using nlohmann::json;

namespace {

const std::string kSleeping = R"(penstock: 1
name: sleeping
nodes:
  - {id: make, op: synthetic, params: {items: 64, shape: [3]}}
  - {id: fetch, op: sleep, params: {time: 1ms}}
  - {id: batch, op: collate, params: {batch_size: 4}}
)";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("compare tells the difference, equal outputs, and pairs of runs") {
  const TempFolder folder;
  const std::string file = folder.write("sleeping.yaml", kSleeping);
  const Outcome outcome =
      penstock_command({"compare", file, "--vary", "nodes.fetch.concurrency=1,4", "--pairs", "3",
                        "--batches", "40", "--format", "json"});
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  const json result = json::parse(outcome.out);
  CHECK(result["status"] == "complete");
  CHECK(result["a"] == file + " nodes.fetch.concurrency=1");
  CHECK(
      result["difference"]["changed"] ==
      json::parse(R"([{"id": "fetch", "values": [{"what": "concurrency", "a": "1", "b": "4"}]}])"));
  CHECK(result["difference"]["same_batches"] == true);
  CHECK(result["outputs"]["equal"] == true);
  CHECK(result["outputs"]["batches"] == 40);
  CHECK(result["runs"]["a"].size() == 3);
  CHECK(result["runs"]["b"].size() == 3);
  CHECK(result["runs"]["b"][0]["window"]["batches"] == 32);
  CHECK(result["metrics"][0]["ratio"]["value"] > 1);  // four sleep at a time
}

TEST_CASE("two files with other batches: the first that differs is named") {
  const TempFolder folder;
  const std::string a = folder.write("a.yaml", kPlain);
  const std::string b = folder.write("b.yaml", R"(penstock: 1
name: other
nodes:
  - {id: make, op: synthetic, params: {items: 62, shape: [3], dtype: uint8}}
  - {id: batch, op: collate, params: {batch_size: 4}}
)");
  const Outcome outcome = penstock_command({"compare", a, b, "--pairs", "1", "--batches", "20"});
  CHECK(outcome.code == 0);
  CHECK(has(outcome.out, "  ~ node make: params.items 64 -> 62\n"));
  CHECK(has(outcome.out, "outputs: NOT equal: batch 16 of 20 is the first that differs\n"));
  CHECK(has(outcome.out, "one pair, so no interval"));
}

TEST_CASE("one relative path in two folders names two folders") {
  const TempFolder folder;
  std::vector<std::string> files;
  for (const std::string side : {"one", "two"}) {
    const std::string classes = folder.path() / side / "photos" / "barn";
    std::filesystem::create_directories(classes);
    for (const auto& photo :
         std::filesystem::directory_iterator(PENSTOCK_SOURCE_DIR "/tests/data/photos/barn")) {
      std::filesystem::copy(photo.path(), classes);
    }
    files.push_back(folder.write(side + "/read.yaml", R"(penstock: 1
nodes:
  - {id: read, op: read_folder, params: {root: photos}}
)"));
  }
  const Outcome outcome =
      penstock_command({"compare", files[0], files[1], "--pairs", "1", "--batches", "2"});
  CHECK_MESSAGE(outcome.code == 0, outcome.err);
  CHECK(has(outcome.out, "  ~ node read: params.root " + (folder.path() / "one/photos").string() +
                             " -> " + (folder.path() / "two/photos").string() + "\n"));
}

TEST_CASE("--fail-if decides the exit code") {
  const TempFolder folder;
  const std::string file = folder.write("sleeping.yaml", kSleeping);
  const auto code = [&](const std::string& condition) {
    return penstock_command({"compare", file, "--vary", "nodes.fetch.params.time=1ms,4ms",
                             "--pairs", "1", "--batches", "12", "--fail-if", condition})
        .code;
  };
  CHECK(code("ex/s < 0.8") == 1);  // four times as long
  CHECK(code("ex/s > 1") == 0);
  CHECK(code("outputs < 1") == 0);  // a sleep changes no batch
}

TEST_CASE("mistakes in either file name the file and the place, before any run") {
  const TempFolder folder;
  const std::string good = folder.write("good.yaml", kSleeping);
  const std::string bad = folder.write("bad.yaml", kPlain + "consumer: {spni: 8ms}\n");
  const Outcome outcome = penstock_command({"compare", good, bad});
  CHECK(outcome.code == 78);
  CHECK(outcome.out.empty());
  CHECK(has(outcome.err, "bad.yaml:7:12: error["));
  CHECK(has(outcome.err, "did you mean 'spin'?"));
  const std::string plain = folder.write("plain.yaml", kPlain);
  const Outcome set =
      penstock_command({"compare", good, plain, "--set", "nodes.fetch.concurrency=2"});
  CHECK(set.code == 78);
  CHECK(has(set.err, "plain.yaml: --set nodes.fetch.concurrency: error["));
}

TEST_CASE("a side without a batch fails, by name") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const Outcome outcome =
      penstock_command({"compare", file, "--vary", "nodes.make.params.items=64,0"});
  CHECK(outcome.code == 1);
  CHECK(has(outcome.err, "error: B, " + file + " nodes.make.params.items=0: "));
  CHECK(has(outcome.err, "produced no sample"));
  const Outcome result = penstock_command(
      {"compare", file, "--vary", "nodes.make.params.items=64,0", "--format", "json"});
  CHECK(result.code == 1);
  const std::string text = json::parse(result.out)["error"]["text"];
  CHECK(has(result.err, "error: " + text + "\n"));
}

TEST_CASE("compare's command line that makes no sense is exit code 2") {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{"compare"}, "error: A is required\n  help: penstock compare --help says more\n"},
      {{"compare", "x.yaml"},
       "error: there is only one pipeline to compare\n"
       "  help: name a second file, or --vary KEY=A,B for two values of one\n"},
      {{"compare", "x.yaml", "y.yaml", "--vary", "seed=1"},
       "error: two files or --vary, not both\n  help: --set changes a value of both files\n"},
      {{"compare", "x.yaml", "--vary", "threads=1,2,4"},
       "error: --vary threads has 3 values: A and B are two\n"
       "  help: penstock sweep takes any number\n"},
      {{"compare", "x.yaml", "--vary", "threads=1,2", "--vary", "threads=4"},
       "error: --vary threads comes twice\n"
       "  help: give all its values at once, apart by commas\n"},
      {{"compare", "x.yaml", "--vary", "epochs=1,2"},
       "error: --vary epochs would change nothing: each run repeats its epochs until its own "
       "length is reached\n"
       "  help: --seconds or --batches sets the length of each run\n"},
      {{"compare", "x.yaml", "y.yaml", "--fail-if", "exs < 1"},
       "error: --fail-if 'exs < 1': there is no metric 'exs'\n"
       "  help: did you mean 'ex/s'? The metrics, each as B / A, are ex/s, wait_mean, wait_p50, "
       "wait_p95, wait_max, work, wait_frac, first_batch, cpu, in_flight, outputs\n"},
  };
  for (const Case& each : cases) {
    const Outcome outcome = penstock_command(each.arguments);
    CHECK(outcome.code == 2);
    CHECK(outcome.err == each.message);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("settings of a serial run are no difference") {
  const TempFolder folder;
  const std::string file = folder.write("serial.yaml", kPlain + "workers: 0\n");
  const Outcome setting = penstock_command({"compare", file, "--vary", "threads=1,2"});
  CHECK(setting.code == 2);
  CHECK(has(setting.err, "error: --vary threads would change nothing: with 'workers: 0' one "));
  const Outcome work =
      penstock_command({"compare", file, "--vary", "nodes.batch.params.batch_size=2", "--batches",
                        "8", "--pairs", "1"});
  CHECK_MESSAGE(work.code == 0, work.err);
}

TEST_CASE("an interrupted comparison prints what it has") {
  const TempFolder folder;
  const std::string file = folder.write("long.yaml", kSleeping);
  const Outcome outcome =
      penstock_command({"compare", file, "--vary", "nodes.fetch.concurrency=1,2", "--batches",
                        "100000", "--verbosity", "verbose"},
                       {.signals = {{SIGINT, "note: outputs compared\n"}}});
  CHECK(outcome.code == 130);
  CHECK(has(outcome.out, "outputs: equal, in the first 50 batches\n0 pairs of runs"));
  CHECK(has(outcome.out, "(interrupted)\n"));
}
