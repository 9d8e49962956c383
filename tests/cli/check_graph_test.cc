#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/cli_pipelines.h"
#include "support/command.h"

using namespace penstock::testing;

namespace {

constexpr const char* kDot = R"(digraph "plain" {
  rankdir=LR;
  node [fontname="sans"];
  "make" [shape=box, label="make\nsynthetic"];
  "batch" [shape=box, label="batch\ncollate x 2"];
  "consumer" [shape=doublecircle];
  "make" -> "batch" [label="3, 1 MiB"];
  "batch" -> "consumer" [label="2"];
}
)";

constexpr const char* kMermaid = R"(flowchart LR
  n0["make<br/>synthetic"]
  n1["batch<br/>collate x 2"]
  consumer((consumer))
  n0 -->|3, 1 MiB| n1
  n1 -->|2| consumer
)";

constexpr const char* kSample = R"(make (synthetic): 5 items
  x      uint8 [3]
  label  int64 []
batch (collate): 2 items
  x      uint8 [4, 3]; uint8 [1, 3]
  label  int64 [4]; int64 [1]
)";

std::string bounded() {
  std::string text = kPlain;
  const std::string part = "{id: batch";
  return text.replace(text.find(part), part.size(),
                      "{id: batch, concurrency: 2, queue: {items: 3, bytes: 1MiB}");
}

}  // namespace

TEST_CASE("check says that a file is fine, and what it is") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const Outcome outcome = penstock_command({"check", file});
  CHECK(outcome.code == 0);
  CHECK(outcome.out.rfind(file + ": fine (2 nodes, 2 edges, 16 batches an epoch, plan ", 0) == 0);
  const auto json =
      nlohmann::json::parse(penstock_command({"check", file, "--format", "json"}).out);
  CHECK(json["diagnostics"].empty());
}

TEST_CASE("check --sample prints the shapes behind every node") {
  const TempFolder folder;
  const Outcome outcome =
      penstock_command({"check", folder.write("plain.yaml", kPlain), "--sample", "5"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out == kSample);
}

TEST_CASE("check --resolved prints a pipeline that loads again to the same plan") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const Outcome resolved =
      penstock_command({"check", file, "--resolved", "--set", "nodes.batch.params.batch_size=8"});
  CHECK(resolved.code == 0);
  CHECK(resolved.out.find("batch_size: 8") != std::string::npos);
  const std::string again = folder.write("again.yaml", resolved.out);
  const std::string plan = penstock_command({"check", again}).out;
  const std::string expected =
      penstock_command({"check", file, "--set", "nodes.batch.params.batch_size=8"}).out;
  CHECK(plan.substr(plan.find("plan ")) == expected.substr(expected.find("plan ")));
}

TEST_CASE("graph draws a pipeline") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", bounded());
  CHECK(penstock_command({"graph", file, "--format", "dot"}).out == kDot);
  CHECK(penstock_command({"graph", file, "--format", "mermaid"}).out == kMermaid);
  CHECK(penstock_command({"graph", file}).out ==
        "node      op           from [capacity]\n"
        "make      synthetic\n"
        "batch     collate x 2  make [3, 1 MiB]\n"
        "consumer               batch [2]\n");
  const Outcome plan = penstock_command({"graph", file, "--plan"});
  CHECK(plan.code == 0);
  CHECK(plan.out.rfind("unit  nodes  slots  order     state", 0) == 0);
  CHECK(penstock_command({"graph", file, "--plan", "--format", "dot"}).code == 2);
}

TEST_CASE("graph --format svg needs dot and says so") {
  const TempFolder folder;
  const std::string file = folder.write("plain.yaml", kPlain);
  const Outcome without =
      penstock_command({"graph", file, "--format", "svg"}, {.environment = {"PATH=/nowhere"}});
  CHECK(without.code == 2);
  CHECK(without.err ==
        "error: the program 'dot' is needed for --format svg\n"
        "  help: install graphviz (apt-get install graphviz), or use --format dot or mermaid\n");
  const Outcome with = penstock_command({"graph", file, "--format", "svg"});
  if (with.code == 0) CHECK(with.out.find("<svg") != std::string::npos);
}

TEST_CASE("check --resolved is YAML, whatever format is asked for") {
  const Outcome outcome = penstock_command({"check", "x.yaml", "--resolved", "--format", "json"});
  CHECK(outcome.code == 2);
  CHECK(outcome.err ==
        "error: --resolved prints the pipeline as YAML: it has no --format json\n"
        "  help: leave one of the two out\n");
}
