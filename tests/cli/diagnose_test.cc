#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "support/command.h"

using namespace penstock::testing;
using nlohmann::json;

namespace {

/// One slot sleeps 2 ms for each sample, so that nothing else can be the limit.
const std::string kSlow = R"(penstock: 1
name: slow
nodes:
  - {id: make, op: synthetic, params: {items: 64, shape: [3]}}
  - {id: fetch, op: sleep, params: {time: 2ms}}
  - {id: batch, op: collate, params: {batch_size: 2}}
consumer: {sleep: 200us}
)";

json read_json(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file);
}

}  // namespace

TEST_CASE("diagnose names the limit, and its predictions are on disk and hold") {
  const TempFolder folder;
  const std::string file = folder.write("slow.yaml", kSlow);
  const std::string predictions = (folder / "predictions.json").string();
  const Outcome outcome = penstock_command(
      {"diagnose", file, "--seconds", "0.3", "--format", "json", "--predictions", predictions});
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  CHECK(outcome.err == "note: the predictions are in " + predictions + "\n");
  const json diagnosis = json::parse(outcome.out);
  CHECK(diagnosis["diagnosis"] == 1);
  CHECK(diagnosis["status"] == "complete");
  // Which limit it is depends on what else the machine does; the rules have tables of their own.
  const json& verdict = diagnosis["runs"]["steady"]["verdict"];
  REQUIRE(verdict["limit"].is_string());
  const bool named = verdict["limit"] == "node";
  if (named) {
    CHECK(verdict["nodes"] == json{"fetch"});
    CHECK(verdict["remedy"] == "nodes.fetch.concurrency=2");
  }
  CHECK(diagnosis["runs"]["serial"]["verdict"]["limit"].is_string());
  CHECK((!named || !diagnosis["trials"].empty()));
  for (const json& trial : diagnosis["trials"]) {
    CHECK(trial["result"]["finding"].is_string());
    CHECK(trial["alternatives"].size() == 2);
  }
  const json written = read_json(predictions);
  CHECK(written["predictions"] == 1);
  CHECK(written["plan"] == diagnosis["runs"]["steady"]["plan"]);
  REQUIRE(written["trials"].size() == diagnosis["trials"].size());
  for (size_t i = 0; i < written["trials"].size(); ++i) {
    CHECK(written["trials"][i]["set"] == diagnosis["trials"][i]["set"]);
    CHECK(written["trials"][i]["hypothesis"] == diagnosis["trials"][i]["hypothesis"]);
  }
  if (named) CHECK(written["trials"].back()["set"] == "nodes.fetch.concurrency=2");
}

TEST_CASE("an interrupted diagnosis tells what it has, and keeps its predictions") {
  const TempFolder folder;
  const std::string file = folder.write("slow.yaml", kSlow);
  const std::string predictions = (folder / "p.json").string();
  const Outcome outcome = penstock_command(
      {"diagnose", file, "--seconds", "1", "--predictions", predictions},
      {.signals = {{SIGINT, "note: the predictions are in " + predictions + "\n"}}});
  for (const char* part : {"OBSERVATION\n", "HYPOTHESIS\n", "EXPERIMENT\n", "NEXT\n"}) {
    CHECK_MESSAGE(outcome.out.find(part) != std::string::npos, part);
  }
  const json written = read_json(predictions);
  CHECK(written["predictions"] == 1);
  // On a machine that changes its speed there may be nothing to try, and nothing to interrupt.
  const bool tried = !written["trials"].empty();
  CHECK(outcome.code == (tried ? 130 : 0));
  CHECK((outcome.out.find("not made") != std::string::npos) == tried);
  CHECK((outcome.out.find("NEXT\n  Interrupted") != std::string::npos) == tried);
}

TEST_CASE("predictions that cannot be written end the diagnosis before any trial") {
  const TempFolder folder;
  const std::string file = folder.write("slow.yaml", kSlow);
  const Outcome outcome = penstock_command(
      {"diagnose", file, "--seconds", "0.3", "--predictions", "/no/such/folder/p.json"});
  CHECK(outcome.code == 1);
  CHECK(outcome.err ==
        "error: predictions: cannot write /no/such/folder/p.json: No such file or directory "
        "(--predictions FILE names another place)\n");
}

TEST_CASE("a diagnosis that fails says so in one object, with what it has measured") {
  const TempFolder folder;
  const std::string file = folder.write("slow.yaml", kSlow);
  const Outcome late = penstock_command({"diagnose", file, "--seconds", "0.3", "--format", "json",
                                         "--predictions", "/no/such/folder/p.json"});
  CHECK(late.code == 1);
  const json measured = json::parse(late.out);
  CHECK(measured["status"] == "failed");
  CHECK(measured["runs"]["serial"].is_object());
  CHECK(measured["runs"]["steady"].is_object());
  CHECK("error: " + measured["error"]["text"].get<std::string>() + "\n" == late.err);
  const Outcome early = penstock_command({"diagnose", file, "--format", "json", "--set",
                                          "nodes.batch.params.batch_size=65", "--set",
                                          "nodes.batch.params.drop_last=true"});
  CHECK(early.code == 1);
  const json nothing = json::parse(early.out);
  CHECK(nothing["status"] == "failed");
  CHECK(nothing["runs"]["serial"].is_null());
  CHECK(nothing["error"]["text"].get<std::string>().rfind("serial run: ", 0) == 0);
  const Outcome text = penstock_command(
      {"diagnose", file, "--seconds", "0.3", "--predictions", "/no/such/folder/p.json"});
  CHECK(text.out.find("NEXT\n  Repair what failed") != std::string::npos);
}

TEST_CASE("a diagnosis sets the length of its runs itself") {
  CHECK(penstock_command({"diagnose", "x.yaml", "--set", "batches=4"}).err ==
        "error: --set batches would change nothing: each run repeats its epochs until its own "
        "length is reached\n  help: --seconds sets the length of each run\n");
  CHECK(penstock_command({"diagnose", "x.yaml", "--seconds", "nan"}).code == 2);
}

TEST_CASE("a pipeline that cannot run is no diagnosis") {
  const TempFolder folder;
  CHECK(penstock_command({"diagnose", (folder / "none.yaml").string()}).code == 78);
  for (const std::string more : {"", "epochs: 1\n"}) {
    const std::string empty = folder.write("empty.yaml", "penstock: 1\n" + more + R"(nodes:
  - {id: make, op: synthetic, params: {items: 0, shape: [3]}}
)");
    const Outcome outcome = penstock_command({"diagnose", empty, "--seconds", "0.3"});
    CHECK(outcome.code == 1);
    CHECK(outcome.err.find("gave no batch") != std::string::npos);
  }
}
