#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/command.h"

using namespace penstock::testing;

namespace {

constexpr const char* kRunHelp =
    R"(Run a pipeline and report where its time goes
Usage: penstock run [OPTIONS] FILE

Positionals:
  FILE                        The pipeline, a YAML file

Options:
  -h,--help                   Print this help
  --batches N                 Stop after so many batches
  --epochs N                  Stop after so many epochs
  --warmup N                  Leave the first batches out of the figures (default: 8, at most a quarter)
  --threads N                 CPU threads (default: what the file says)
  --workers 0                 0: all work inside the consumer's own call
  --digest                    Print one number over all batches (XXH3)
  --trace FILE                Write every firing to FILE as trace events, for ui.perfetto.dev and the like
  --set KEY=VALUE             Override a value of the file, nodes.decode.concurrency=4 (repeatable)
  --plugin FILE               Load an operator library (repeatable)
  --format text|json          Form of the result
  --verbosity quiet|normal|verbose
                              quiet: errors only; verbose: every warning, and what happens when

Examples:
  penstock run graphs/quickstart.yaml --batches 50
  penstock run train.yaml --set nodes.decode.concurrency=4 --format json > report.json
)";

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the help of run") {
  const Outcome outcome = penstock_command({"run", "--help"});
  CHECK(outcome.code == 0);
  CHECK(outcome.out == kRunHelp);
  CHECK(outcome.err.empty());
}

TEST_CASE("the help of each verb has two examples") {
  for (const std::string verb : {"run", "diagnose", "sweep", "compare", "check", "graph", "list",
                                 "describe", "schema", "plugin"}) {
    const Outcome outcome = penstock_command({verb, "--help"});
    CHECK(outcome.code == 0);
    const std::string examples = outcome.out.substr(outcome.out.find("Examples:"));
    CHECK_MESSAGE(count_of(examples, "\n  penstock " + verb) == 2, examples);
  }
}

TEST_CASE("help lists the verbs, --version tells the version") {
  const Outcome help = penstock_command({"--help"});
  CHECK(help.code == 0);
  for (const std::string verb : {"run", "diagnose", "sweep", "compare", "check", "graph", "list",
                                 "describe", "schema", "plugin"}) {
    CHECK(help.out.find("\n  " + verb + " ") != std::string::npos);
  }
  CHECK(penstock_command({"--version"}).out == "penstock 0.1.0\n");
}

TEST_CASE("a command line that makes no sense is exit code 2, with a remedy") {
  struct Case {
    std::vector<std::string> arguments;
    std::string message;
  };
  const std::vector<Case> cases = {
      {{},
       "error: which verb?\n  help: run, diagnose, sweep, compare, check, inspect, graph, list, "
       "describe, schema, plugin; "
       "penstock "
       "--help "
       "says what they do\n"},
      {{"chekc", "x.yaml"}, "error: there is no verb 'chekc'\n  help: did you mean 'check'?\n"},
      {{"frobnicate"},
       "error: there is no verb 'frobnicate'\n  help: the verbs are run, "
       "diagnose, sweep, compare, check, inspect, graph, list, describe, schema, plugin\n"},
      {{"run"}, "error: FILE is required\n  help: penstock run --help says more\n"},
      {{"run", "x.yaml", "--bathces", "3"},
       "error: run has no option --bathces\n  help: did you mean --batches?\n"},
      {{"run", "x.yaml", "--batches", "0"},
       "error: --batches: '0' is not a whole number of at least 1\n"
       "  help: penstock run --help says more\n"},
      {{"run", "x.yaml", "--epochs", "-1"},
       "error: --epochs: '-1' is not a whole number of at least 1\n"
       "  help: penstock run --help says more\n"},
      {{"run", "x.yaml", "--epochs", "18446744073709551615"},
       "error: --epochs: '18446744073709551615' is more than 4294967295\n"
       "  help: penstock run --help says more\n"},
      {{"run", "x.yaml", "--warmup", "18446744073709551616"},
       "error: --warmup: '18446744073709551616' is more than 9223372036854775807\n"
       "  help: penstock run --help says more\n"},
      {{"run", "x.yaml", "--format", "xml"},
       "error: --format: 'xml' is none of text, json\n  help: penstock run --help says more\n"},
      {{"run", "x.yaml", "--workers", "4"},
       "error: --workers takes only 0 (got 4)\n  help: --threads sets the CPU threads, "
       "nodes.ID.concurrency the slots of a node\n"},
      {{"plugin"},
       "error: which verb?\n  help: new, check; penstock plugin --help says what they do\n"},
      {{"plugin", "chek", "x.so"},
       "error: there is no verb 'chek'\n  help: did you mean 'check'?\n"},
      {{"plugin", "check"},
       "error: FILE is required\n  help: penstock plugin check --help says more\n"},
      {{"plugin", "new", "x", "--kidn", "map"},
       "error: new has no option --kidn\n  help: did you mean --kind?\n"},
      {{"describe", "colate"},
       "error: there is no operator 'colate'\n  help: did you mean 'collate'?\n"},
  };
  for (const Case& each : cases) {
    const Outcome outcome = penstock_command(each.arguments);
    CHECK(outcome.code == 2);
    CHECK(outcome.err == each.message);
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("list and describe show the schema, as text and as JSON") {
  const Outcome list = penstock_command({"list"});
  CHECK(list.code == 0);
  CHECK(list.out.starts_with("from penstock_operators 0.1.0 ("));
  CHECK(list.out.find("decode_image  ") != std::string::npos);
  for (size_t begin = 0; begin < list.out.size();) {
    const size_t end = list.out.find('\n', begin);
    if (list.out.substr(begin, 5) != "from ") CHECK(end - begin <= 100);
    begin = end + 1;
  }
  const auto operators = nlohmann::json::parse(penstock_command({"list", "--format", "json"}).out);
  CHECK(operators["operators"].size() >= 10);

  const Outcome collate = penstock_command({"describe", "collate"});
  CHECK(collate.code == 0);
  CHECK(collate.out.find("batch_size: int, required, in samples") != std::string::npos);
  CHECK(collate.out.find("example\n  - {op: collate") != std::string::npos);
  const auto json =
      nlohmann::json::parse(penstock_command({"describe", "collate", "--format", "json"}).out);
  CHECK(json["name"] == "collate");
  CHECK(json["params"][0]["name"] == "batch_size");
  CHECK(json["params"][0]["required"] == true);
}
