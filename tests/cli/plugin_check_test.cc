// `penstock plugin check` and `penstock plugin new`.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "support/command.h"
#include "support/plugin_library.h"

using namespace penstock::testing;

namespace {

using Json = nlohmann::json;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Two threads add to one number; `lock` makes that safe.
std::string racing_code(const std::string& lock) {
  return R"(#include "penstock/plugin.h"
#include <mutex>
namespace {
class Adding : public penstock::Operator {
  void process(penstock::Context&) override { )" +
         lock + R"( sum_ = sum_ + 1; }
  std::mutex mutex_;
  long sum_ = 0;
};
void register_operators(penstock::OperatorSink& sink) {
  penstock::Schema schema("adding", penstock::Kind::kMap, "Adds.");
  sink.add({schema.example("{op: adding}"),
            [](const penstock::Params&) { return std::make_unique<Adding>(); }});
}
}
PENSTOCK_PLUGIN("adding", "1", "tests", "none", register_operators))";
}

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

std::string source_of(const std::string& plugin) {
  return bytes_of_file(std::string(PENSTOCK_SOURCE_DIR "/plugins/") + plugin + "/" + plugin +
                       ".cc");
}

/// The checks that an operator failed, with what was said.
std::map<std::string, std::string> failed_checks(const Json& op) {
  std::map<std::string, std::string> failed;
  for (const Json& finding : op["findings"]) {
    if (finding["status"] == "fail") failed[finding["check"]] = finding["text"];
  }
  return failed;
}

}  // namespace

TEST_CASE("each broken promise is found by the check that is about it") {
  const Scratch scratch;
  const std::string library = scratch.library("misbehaving", source_of("misbehaving"));
  const Outcome outcome =
      penstock_command({"plugin", "check", library, "--format", "json"}, {.seconds = 600});
  CHECK(outcome.code == 1);
  CHECK(outcome.err == "");
  const std::map<std::string, std::pair<std::string, std::string>> expected = {
      {"wrong_shape", {"declared", "field 'x' is declared of shape [8] and is float32 [7]"}},
      {"wrong_type", {"declared", "field 'x' is declared float32 and is int32 [8]"}},
      {"secretly_dropping", {"declared", "its schema does not say so: drops()"}},
      {"counting", {"seed", "two runs with one seed: output 0 differs"}},
      {"secretly_random", {"seed", "its schema does not say random()"}},
      {"leaking", {"leak", " bytes a firing stay behind"}},
      {"leaving_files_open", {"leak", " files are left open"}},
      {"throwing_numbers", {"errors", "it throws something that is no std::exception"}},
      {"crashing", {"errors", "ended by signal 11 (Segmentation fault) in the check 'errors'"}},
      {"quitting", {"inputs", "it ended the process with exit code 0 in the check 'inputs'"}},
      {"quitting_late", {"errors", "it ended the process with exit code 0 in the check 'errors'"}},
      {"closing_files", {"errors", "it closed a file that is not its own in the check 'errors'"}},
      {"changing_input", {"const", "it changes its input, which other nodes may share: field 'x'"}},
      {"leaving_process",
       {"errors", "it ended the process with exit code 5 in the check 'errors'"}},
      {"dense", {"strided", "it reads a strided input as a dense one (position 0)"}},
      {"dense_sum", {"strided", "it reads a strided input as a dense one (position 0)"}},
      {"resentful", {"errors", "after an odd sample the output at position"}},
      {"unsaid", {"schema", "it makes the field 'x' and says nothing of it: writes()"}},
      {"silent", {"schema", "parameter 'much' is a number without a unit and without a range"}},
  };
  const Json result = Json::parse(outcome.out);
  CHECK(result["operators"].size() == expected.size() + 1);
  CHECK(result["failed"] == expected.size());
  for (const Json& op : result["operators"]) {
    const std::string name = op["name"];
    CAPTURE(name);
    auto failed = failed_checks(op);
    if (name == "decent") {
      CHECK(failed.empty());
      continue;
    }
    const auto& [check, text] = expected.at(name);
    CAPTURE(op.dump());
    REQUIRE(failed.count(check) == 1);
    CHECK(has(failed[check], text));
  }
}

TEST_CASE("a race in a library of the thread sanitizer is reported, and a lock is believed") {
  const Scratch scratch;
  const std::string racing = scratch.library("racing", racing_code(""), "-fsanitize=thread -g1");
  const Outcome found = penstock_command({"plugin", "check", racing});
  CAPTURE(found.err);
  CAPTURE(found.out);
  CHECK(found.code == 1);
  CHECK(has(found.err, "WARNING: ThreadSanitizer: data race"));
  CHECK(has(found.out, "FAILED  the thread sanitizer reports a data race"));
  CHECK(has(found.out, "1 of 1 operators failed"));
  CHECK(has(found.err,
            "error: the thread sanitizer reports a data race, or cannot work here (see above)"));
  // As where the library that it starts itself again with cannot be preloaded: no endless chain.
  CHECK(has(
      penstock_command({"plugin", "check", racing}, {.environment = {"PENSTOCK_UNDER_SANITIZER=1"}})
          .err,
      "is built with -fsanitize=thread, and libtsan.so.2 cannot be loaded: install it"));
  const std::string locked = scratch.library(
      "locked", racing_code("const std::lock_guard lock(mutex_);"), "-fsanitize=thread -g1");
  const Outcome fine = penstock_command({"plugin", "check", locked});
  CHECK_MESSAGE(fine.code == 0, fine.err);
  CHECK(has(penstock_command({"list", "--plugin", locked}).err,
            "it was built with the thread sanitizer and this program was not: 'penstock plugin "
            "check' can run it"));
}
#endif

TEST_CASE("all built-in operators conform") {
  const Outcome outcome = penstock_command(
      {"plugin", "check", PENSTOCK_BINARY_DIR "/lib/libpenstock_operators.so", "--set",
       "sleep.time=1us", "--set", "spin.time=1us", "--set", "synthetic.shape=8"},
      {.seconds = 600});
  CHECK_MESSAGE(outcome.code == 0, outcome.out);
  CHECK(has(outcome.out, "operators conform\n"));
  CHECK_FALSE(has(outcome.out, "FAILED"));
}

TEST_CASE("a library that adds nothing, and an operator that gives nothing, do not pass") {
  const Scratch scratch;
  const auto check = [&scratch](const std::string& name, const std::string& body) {
    const std::string code = R"(#include "penstock/plugin.h"
namespace {
class Dropping : public penstock::Operator {
  void process(penstock::Context& ctx) override { ctx.drop(); }
};
void register_operators([[maybe_unused]] penstock::OperatorSink& sink) { )" +
                             body + R"( }
}
PENSTOCK_PLUGIN(")" + name + R"(", "1", "tests", "none", register_operators))";
    return penstock_command({"plugin", "check", scratch.library(name, code)});
  };
  const Outcome nothing = check("nothing", "");
  CHECK(nothing.code == 1);
  CHECK(has(nothing.out, "the library has none: its entry point must add each of them"));
  const Outcome dropping =
      check("dropping",
            R"(penstock::Schema schema("dropping", penstock::Kind::kMap, "Drops all.");
               sink.add({schema.example("{op: dropping}").drops(), [](const penstock::Params&) {
                 return std::make_unique<Dropping>(); }});)");
  CHECK(dropping.code == 1);
  CHECK(has(dropping.out, "no output came, so that nothing can be checked"));
}

TEST_CASE("what cannot be checked says why") {
  const Scratch scratch;
  const Outcome none = penstock_command({"plugin", "check", scratch.file("none.so")});
  CHECK(none.code == 1);
  CHECK(has(none.err, "it cannot be opened: No such file or directory"));
  const std::string library = scratch.library("racing", racing_code(""));
  const auto wrong = [&](const std::string& set) {
    const Outcome outcome = penstock_command({"plugin", "check", library, "--set", set});
    CHECK(outcome.code == 2);
    return outcome.err;
  };
  CHECK(wrong("addign.x=1") ==
        "error: --set addign.x=1: there is no such parameter\n"
        "  help: write OP.PARAM=VALUE; did you mean 'adding'?\n");
  CHECK(wrong("other") ==
        "error: --set other: there is no such parameter\n"
        "  help: write OP.PARAM=VALUE; the operators are: adding\n");
  CHECK(wrong("adding.x=1") ==
        "error: --set adding.x=1: there is no such parameter\n"
        "  help: adding has no parameters\n");
  const Outcome value =
      penstock_command({"plugin", "check", PENSTOCK_BINARY_DIR "/lib/libpenstock_operators.so",
                        "--set", "synthetic.items=many"});
  CHECK(value.code == 2);
  CHECK(value.err ==
        "error: --set synthetic.items=many: the parameters of its example: items must be a whole "
        "number, not 'many'\n");
}

TEST_CASE("a new project has the operator's name everywhere, and overwrites nothing") {
  const TempFolder folder;
  const CommandOptions here{.directory = folder.path().string()};
  for (const std::string kind : {"map", "source", "expand", "collate"}) {
    const Outcome outcome = penstock_command({"plugin", "new", "my_" + kind, "--kind", kind}, here);
    CHECK_MESSAGE(outcome.code == 0, outcome.err);
    for (const auto& entry : std::filesystem::directory_iterator(folder / ("my_" + kind))) {
      CHECK_FALSE(has(bytes_of_file(entry.path()), "@"));
    }
    const std::string code = bytes_of_file(folder / ("my_" + kind) / ("my_" + kind + ".cc"));
    CHECK(has(code, "Schema schema(\"my_" + kind + "\", Kind::k"));
  }
  const Outcome again = penstock_command({"plugin", "new", "my_map"}, here);
  CHECK(again.code == 2);
  CHECK(again.err == "error: cannot make the folder 'my_map': it is there already\n");
  CHECK(
      has(penstock_command({"plugin", "new", "resize"}, here).err,
          "error: 'resize' cannot be the operator's name: there is one of that name already, from "
          "penstock_operators "));
  CHECK(
      has(penstock_command({"plugin", "new", "test"}, here).err,
          "error: 'test' cannot be the operator's name: it is a target that every build of CMake"));
  CHECK_FALSE(std::filesystem::exists(folder / "test"));
  CHECK(has(penstock_command({"plugin", "new", "null"}, here).err,
            "error: 'null' cannot be the operator's name: readers of YAML take it for a value"));
  CHECK(penstock_command({"plugin", "new", "My-Map"}, here).err ==
        "error: 'My-Map' cannot be an operator's name\n"
        "  help: a name has small letters, digits and '_', and begins with a letter\n");
}
