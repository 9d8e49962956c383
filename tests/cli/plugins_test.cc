// Operator libraries on the command line: where their mistakes are shown.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "support/command.h"
#include "support/plugin_library.h"

using namespace penstock::testing;

namespace {

/// A map "halve" with one parameter, in a library that bears `name`.
std::string halve_code(const std::string& name, const std::string& before = "") {
  return plugin_code(name, R"(
  penstock::Schema schema("halve", penstock::Kind::kMap, "Halves.");
  schema.param({.name = "divisor", .type = penstock::ParamType::kInt, .doc = "What it divides by.",
                .default_value = int64_t{2}, .low = 1});
  sink.add({schema, [](const penstock::Params&) { return std::make_unique<Nothing>(); }});)",
                     before);
}

constexpr const char* kHead = "penstock: 1\nplugins: [halve.so]\nnodes:\n";
constexpr const char* kSource = "  - {id: read, op: synthetic, params: {items: 8, shape: [2]}}\n";

}  // namespace

TEST_CASE("a library of a pipeline is found beside its file, and its mistakes at their line") {
  const Scratch folder;
  folder.library("halve", halve_code("halves"));
  const std::string good =
      folder.write("good.yaml", std::string(kHead) + kSource + "  - {id: half, op: halve}\n");
  const Outcome fine = penstock_command({"run", good, "--verbosity", "quiet"});
  CHECK_MESSAGE(fine.code == 0, fine.err);

  const std::string typo =
      folder.write("typo.yaml", std::string(kHead) + kSource +
                                    "  - {id: half, op: halve, params: {diviser: 3}}\n");
  CHECK(penstock_command({"check", typo}).err ==
        typo +
            ":5:36: error[unknown-param]: halve has no parameter 'diviser'\n"
            "  5 |   - {id: half, op: halve, params: {diviser: 3}}\n"
            "    |                                    ^~~~~~~\n"
            "  help: did you mean 'divisor'?\n");

  const std::string range =
      folder.write("range.yaml", std::string(kHead) + kSource +
                                     "  - {id: half, op: halve, params: {divisor: 0}}\n");
  CHECK(penstock_command({"check", range}).err.starts_with(range + ":5:45: error["));

  const std::string missing =
      folder.write("missing.yaml", "penstock: 1\nplugins:\n  - halve.so\n  - none.so\nnodes:\n" +
                                       std::string(kSource));
  const Outcome outcome = penstock_command({"check", missing});
  CHECK(outcome.code == 78);
  CHECK(outcome.err == missing + ":4:5: error[plugin]: cannot load '" + folder.file("none.so") +
                           "': there is no such file\n  4 |   - none.so\n    |     ^~~~~~~\n");
}

TEST_CASE("list and describe show where an operator comes from") {
  const Scratch folder;
  const std::string library = folder.library("halve", halve_code("halves"));
  const Outcome list = penstock_command({"list", "--plugin", library});
  CHECK(list.out.find("\n\nfrom penstock_operators 0.1.0 (") != std::string::npos);
  CHECK(list.out.starts_with("from halves 1.2 (" + library + ")\nhalve  map  cpu  Halves.\n"));
  const Outcome describe = penstock_command(
      {"describe", "halve"}, {.environment = {"PENSTOCK_PLUGIN_PATH=" + folder.path()}});
  CHECK(describe.out.find("From halves 1.2 (") != std::string::npos);
  const auto json = nlohmann::json::parse(
      penstock_command({"describe", "halve", "--plugin", library, "--format", "json"}).out);
  CHECK(json["origin"] == "halves 1.2 (" + library + ")");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST_CASE("a static constructor that throws ends the program with a plain message") {
  const Scratch folder;
  const std::string library =
      folder.library("halve", halve_code("halves",
                                         "#include <stdexcept>\nstruct Bad { Bad() { throw "
                                         "std::runtime_error(\"no licence\"); } } bad;"));
  const Outcome outcome = penstock_command({"list", "--plugin", library});
  CHECK(outcome.code == 78);
  CHECK(outcome.err ==
        "error: cannot load '" + library + "': a static constructor threw: no licence\n");
}

TEST_CASE("a library that ends the program while it is loaded is named, whatever its exit code") {
  const Scratch folder;
  const auto outcome_of = [&folder](const std::string& name, const std::string& code) {
    const std::string library = folder.library(
        name, halve_code(name, "#include <cstdlib>\nstruct Bad { Bad() { " + code + " } } bad;"));
    Outcome outcome = penstock_command({"list", "--plugin", library});
    for (size_t at; (at = outcome.err.find(library)) != std::string::npos;) {
      outcome.err.replace(at, library.size(), "FILE");
    }
    return outcome;
  };
  const Outcome quits = outcome_of("quits", "std::exit(0);");
  CHECK(quits.code == 78);
  CHECK(quits.err == "error: cannot load 'FILE': it calls exit() while it is loaded\n");
  const Outcome crashes = outcome_of("crashes", "std::abort();");
  CHECK(crashes.code != 0);
  CHECK(crashes.err == "error: it crashed while it was loaded: 'FILE'\n");
}

TEST_CASE("a batch that is not what its node declares is noted") {
  const Scratch folder;
  const std::string code = R"(#include <penstock/plugin.h>
struct Other : penstock::Operator {
  void infer(penstock::FieldTable& fields) override {
    fields.at(fields.require("x", "")).shape = std::vector<int64_t>{5};
  }
};
static void add(penstock::OperatorSink& sink) {
  sink.add({penstock::Schema("other", penstock::Kind::kMap, "Says what is not so."),
            [](const penstock::Params&) { return std::make_unique<Other>(); }});
}
PENSTOCK_PLUGIN("other", "1", "tests", "none", add))";
  const std::string file = folder.write("other.yaml", R"(penstock: 1
nodes:
  - {id: make, op: synthetic, params: {items: 8, shape: [4], dtype: float32}}
  - {id: other, op: other}
)");
  const Outcome outcome =
      penstock_command({"run", file, "--plugin", folder.library("other", code)});
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find("in the first batch field 'x' is declared of shape [5] and is float32 "
                         "[4] ('penstock check " +
                         file + " --sample 1' says where)") != std::string::npos);
}

TEST_CASE("an operator that calls exit() makes no run a success") {
  const Scratch folder;
  const auto run = [&folder](const std::string& name, const std::string& in_constructor,
                             const std::string& in_body) {
    const std::string code = R"(#include <cstdlib>
#include <penstock/plugin.h>
struct Quitting : penstock::Operator {
  Quitting() { )" + in_constructor +
                             R"( }
  void process(penstock::Context&) override { )" +
                             in_body + R"( }
};
static void add(penstock::OperatorSink& sink) {
  sink.add({penstock::Schema("quit", penstock::Kind::kMap, "Ends."),
            [](const penstock::Params&) { return std::make_unique<Quitting>(); }});
}
PENSTOCK_PLUGIN(")" + name + R"(", "1", "tests", "none", add))";
    return penstock_command({"run", folder.write("quit.yaml", R"(penstock: 1
nodes:
  - {id: make, op: synthetic, params: {items: 8, shape: [4]}}
  - {id: quit, op: quit, concurrency: 2}
)"),
                             "--plugin", folder.library(name, code)});
  };
  for (const Outcome& outcome :
       {run("early", "std::exit(0);", ""), run("late", "", "std::exit(0);")}) {
    CHECK(outcome.code == 1);
    CHECK(outcome.err ==
          "error: an operator, or a library that it uses, ended the program by exit()\n");
  }
}
#endif
