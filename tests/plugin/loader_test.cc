#include "plugin/loader.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "support/plugin_library.h"

namespace penstock {
namespace {

using namespace penstock::testing;
namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

constexpr const char* kIdle = "sink.add(nothing(\"idle\"));";

TEST_CASE("a library is registered by name and version, once however often it is loaded") {
  const Scratch scratch;
  const std::string path = scratch.library("good", plugin_code("good", kIdle));
  fs::create_symlink(path, scratch.file("link.so"));
  Registry registry;
  CHECK(load_library(path, &registry) == "");
  CHECK(load_library(path, &registry) == "");
  CHECK(load_library(scratch.file("link.so"), &registry) == "");
  REQUIRE(registry.find("idle") != nullptr);
  CHECK(registry.find("idle")->origin == "good 1.2 (" + path + ")");
  CHECK(registry.names().size() == 1);
  Registry other;
  CHECK(load_library(path, &other) == "");
  CHECK(other.names().size() == 1);
}

TEST_CASE("two libraries with one name or one operator are an error that names both") {
  const Scratch scratch;
  const std::string path = scratch.library("first", plugin_code("first", kIdle));
  const std::string copy = scratch.file("copy.so");
  fs::copy_file(path, copy);
  const std::string twin = scratch.write("twin.so", bytes_of_file(path) + "x");
  const std::string second = scratch.library(
      "second",
      plugin_code("second", "sink.add(nothing(\"fresh\")); sink.add(nothing(\"idle\"));"));
  Registry registry;
  CHECK(load_library(path, &registry) == "");
  CHECK(load_library(copy, &registry) == "cannot load '" + copy + "': it is a second copy of '" +
                                             path + "', which is there already: load one of them");
  CHECK(load_library(twin, &registry) == "cannot load '" + twin +
                                             "': a library named 'first' is already there, from '" +
                                             path + "'");
  CHECK(load_library(second, &registry) == "cannot load '" + second +
                                               "': operator 'idle' is already there, from "
                                               "first 1.2 (" +
                                               path + ")");
  CHECK(registry.find("fresh") == nullptr);  // all of a library or nothing
}

TEST_CASE("an undefined symbol is found when the library is opened, with its readable name") {
  const Scratch scratch;
  const std::string path = scratch.library(
      "undefined", plugin_code("undefined", "engine::not_defined_anywhere(1.0);",
                               "namespace engine { int not_defined_anywhere(double); }"));
  Registry registry;
  const std::string reason = load_library(path, &registry);
  CHECK(contains(reason, "cannot load '" + path + "': "));
  CHECK(contains(reason,
                 "undefined symbol: _ZN6engine20not_defined_anywhereEd "
                 "(engine::not_defined_anywhere(double))"));
}

TEST_CASE("symbols of two libraries do not meet") {
  const Scratch scratch;
  const std::string first = scratch.library(
      "first", plugin_code("first", "if (answer() == 1) sink.add(nothing(\"one\"));",
                           "int answer() { return 1; }"));
  const std::string second = scratch.library(
      "second", plugin_code("second", "if (answer() == 2) sink.add(nothing(\"two\"));",
                            "int answer() { return 2; }"));
  Registry registry;
  CHECK(load_library(first, &registry) == "");
  CHECK(load_library(second, &registry) == "");
  CHECK(registry.find("one") != nullptr);
  CHECK(registry.find("two") != nullptr);
}

/// Sets a variable until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name_, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

// A library with a good note, whose descriptor has one thing wrong.
constexpr const char* kFaulty = R"(#include <stdexcept>
#include "penstock/plugin.h"
namespace {
void register_operators(penstock::OperatorSink&) { throw std::runtime_error("no"); }
}
PENSTOCK_NOTE("c++", "1.0", "faulty", "1.2", "tests", "none");
const penstock::PluginDescriptor* penstock_plugin() {
  const std::string fault = std::getenv("PENSTOCK_TEST_FAULT");
  static penstock::PluginDescriptor it;
  it = {sizeof(penstock::PluginDescriptor), 1, 0, "faulty", "1.2", PENSTOCK_VERSION, "tests",
        "none", register_operators, "", PENSTOCK_COMPILER, PENSTOCK_STANDARD_LIBRARY};
  if (fault == "abi") it.abi_major = 999;
  if (fault == "small") it.struct_size = 4;
  if (fault == "old") it.struct_size -= 8;
  if (fault == "nameless") it.name = nullptr;
  if (fault == "empty") it.register_operators = nullptr;
  if (fault == "other") it.version = "1.3";
  if (fault == "null") return nullptr;
  if (fault == "throws") throw 1;
  return &it;
})";

TEST_CASE("a descriptor that is not what the note says is refused before any object crosses") {
  const Scratch scratch;
  const std::string path = scratch.library("faulty", kFaulty);
  const auto reason = [&](const std::string& name) {
    const Variable fault("PENSTOCK_TEST_FAULT", name);
    Registry registry;
    const std::string text = load_library(path, &registry);
    CHECK(registry.names().empty());
    const std::string start = "cannot load '" + path + "': ";
    REQUIRE(contains(text, start));
    return text.substr(start.size());
  };
  CHECK(
      reason("abi") ==
      "it was built for plugin ABI 999.0, this engine has 1.0: build it again with these headers");
  CHECK(reason("small") == "its descriptor has 4 bytes: it is no operator library");
  CHECK(contains(reason("old"), " bytes, not "));
  CHECK(reason("nameless") == "its descriptor is not complete");
  CHECK(reason("empty") == "its descriptor has no register_operators");
  CHECK(reason("other") == "its note says '1.2' where its descriptor says '1.3'");
  CHECK(reason("null") == "it gives no descriptor");
  CHECK(reason("throws") == "penstock_plugin() threw an unknown exception");
  CHECK(reason("none") == "register_operators() threw: no");
}

TEST_CASE("what the note says is checked before any code of the library runs") {
  const Scratch scratch;
  // Whoever opens it ends.
  const std::string good = bytes_of_file(scratch.library(
      "good",
      plugin_code("good", kIdle, "#include <cstdlib>\nstruct End { End() { std::abort(); } } end;"),
      "-DPENSTOCK_TORCH_VERSION='\"2.13.0\"'"));
  const auto reason = [&](const std::string& from, const std::string& to) {
    const std::string path = scratch.write("changed.so", with(good, from, to));
    Registry registry;
    registry.add_library("0:0", {"other", "/other.so", "2.13.0"});
    const std::string text = load_library(path, &registry);
    const std::string start = "cannot load '" + path + "': ";
    REQUIRE(contains(text, start));
    return text.substr(start.size());
  };
  const std::string again = ": build it again with these headers";
  CHECK(reason("abi=1.0", "abi=9.9") ==
        "it was built for plugin ABI 9.9, this engine has 1.0" + again);
  CHECK(reason("abi=1.0", "abi=1.7") ==
        "it was built for plugin ABI 1.7, this engine has 1.0" + again);
  CHECK(reason("abi=1.0", "abi=x.y") ==
        "it was built for plugin ABI 0.0, this engine has 1.0" + again);
  CHECK(reason("penstock=0.1.0", "penstock=7.3.1") ==
        "it was built for penstock 7.3.1, this is 0.1.0" + again);
  CHECK(reason("form=c++", "form=rst") ==
        "its note is of the form 'rst', this engine knows c and c++" + again);
  CHECK(reason("name=good", "nome=good") == "its note is not complete (name, version, penstock)");
  CHECK(contains(reason("=libstdc++ cxx11=1", "=libstdc++ cxx11=0"),
                 "it was built with the C++ library 'libstdc++ cxx11=0', this engine with '"));
  CHECK(contains(reason("torch=2.13.0", "torch=2.12.0"),
                 "it was built with torch 2.12.0, and '/other.so' with torch 2.13.0"));
}

TEST_CASE("a library of a sanitizer needs a program of that sanitizer") {
  const Scratch scratch;
  const std::string code = "#undef PENSTOCK_SANITIZER\n#define PENSTOCK_SANITIZER \"memory\"\n";
  const std::string path = scratch.library(
      "checked", "#include \"penstock/note.h\"\n" + code + plugin_code("checked", kIdle));
#if !defined(__SANITIZE_ADDRESS__)
  Registry registry;
  CHECK(contains(load_library(path, &registry),
                 "it was built with the memory sanitizer and this program was not"));
#endif
}

TEST_CASE("what is no operator library is named as such") {
  const Scratch scratch;
  Registry registry;
  const std::string plain = scratch.library("plain", "extern \"C\" int other() { return 1; }");
  CHECK(load_library(plain, &registry) ==
        "cannot load '" + plain +
            "': it is no operator library: it has no note .note.penstock (PENSTOCK_PLUGIN writes "
            "one)");
  const std::string noted =
      scratch.library("noted",
                      "#include \"penstock/plugin.h\"\n"
                      "PENSTOCK_NOTE(\"c++\", \"1.0\", \"noted\", \"1\", \"tests\", \"none\");");
  CHECK(load_library(noted, &registry) ==
        "cannot load '" + noted +
            "': it is no operator library: it has no function penstock_plugin");
  CHECK(load_library(scratch.file("none.so"), &registry) ==
        "cannot load '" + scratch.file("none.so") + "': there is no such file");
}

TEST_CASE("the libraries of PENSTOCK_PLUGIN_PATH are there, and a broken one is a warning") {
  const Scratch scratch, other;
  scratch.library("good", plugin_code("good", kIdle));
  scratch.library("plain", "extern \"C\" int other() { return 1; }");
  scratch.write("notes.txt", "no library");
  const std::string broken =
      scratch.write("old.so", with(bytes_of_file(scratch.file("good.so")), "abi=1.0", "abi=9.0"));
  const std::string cut =
      scratch.write("cut.so", bytes_of_file(scratch.file("good.so")).substr(0, 1000));
  const Variable path("PENSTOCK_PLUGIN_PATH", scratch.path() + "::" + other.file("missing"));
  std::vector<Diagnostic> diagnostics;
  const Registry registry = load_default_registry({}, &diagnostics);
  CHECK(registry.find("idle") != nullptr);
  CHECK_FALSE(has_errors(diagnostics));
  const std::string text = format_text(diagnostics);
  CHECK(contains(text, "warning[plugin]: cannot load '" + broken + "': it was built for plugin"));
  CHECK(contains(text, "warning[plugin-path]: PENSTOCK_PLUGIN_PATH: cannot read the folder '" +
                           other.file("missing") + "'"));
  CHECK(contains(text, "warning[plugin]: cannot load '" + cut + "': it is cut off"));
  CHECK(diagnostics.size() == 3);
}

TEST_CASE("an operator of the program comes before one of the same name on the path") {
  const Scratch scratch;
  scratch.library("good", plugin_code("good", kIdle));
  const Variable path("PENSTOCK_PLUGIN_PATH", scratch.path());
  std::vector<Diagnostic> diagnostics;
  const Registry registry = load_default_registry(
      {}, &diagnostics, {}, {{Schema("idle", Kind::kMap, "Of the program."), [](const Params&) {
                                return std::make_unique<Operator>();
                              }}});
  CHECK(registry.find("idle")->origin == "this program");
  CHECK_FALSE(has_errors(diagnostics));
  CHECK(contains(format_text(diagnostics), "operator 'idle' is already there, from this program"));
}

TEST_CASE("the built-in operators come from the library beside this one") {
  std::vector<Diagnostic> diagnostics;
  const Registry registry = load_default_registry({"no-such-plugin.so"}, &diagnostics);
  CHECK(format_text(diagnostics) ==
        "error[plugin]: cannot load 'no-such-plugin.so': there is no such file\n");
  REQUIRE(registry.find("collate") != nullptr);
  CHECK(registry.find("collate")->origin.starts_with("penstock_operators 0.1.0"));
}

}  // namespace
}  // namespace penstock
