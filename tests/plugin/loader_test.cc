#include "plugin/loader.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace penstock {
namespace {

namespace fs = std::filesystem;

/// A folder that goes with the test.
class Scratch {
 public:
  Scratch() {
    static std::atomic<int> count{0};
    path_ = fs::temp_directory_path() /
            ("penstock-loader-" + std::to_string(getpid()) + "-" + std::to_string(count++));
    fs::create_directories(path_);
  }
  ~Scratch() { fs::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

  /// Compiles a library; the code may use the public headers.
  std::string library(const std::string& name, const std::string& code) const {
    std::ofstream(file(name + ".cc")) << code;
    const std::string command = "c++ -std=c++20 -O0 -shared -fPIC -I'" PENSTOCK_SOURCE_DIR
                                "/engine/include' '" +
                                file(name + ".cc") + "' -o '" + file(name + ".so") + "'";
    REQUIRE(std::system(command.c_str()) == 0);
    return file(name + ".so");
  }

 private:
  fs::path path_;
};

// A descriptor with one or two things wrong.
std::string plugin_code(const std::string& name, const std::string& registration,
                        const std::string& change = "", const std::string& before = "") {
  return R"(#include "penstock/plugin.h"
)" + before +
         R"(
namespace {
class Nothing : public penstock::Operator {};
penstock::OperatorDef nothing(const char* name) {
  return {penstock::Schema(name, penstock::Kind::kMap, "Does nothing."),
          [](const penstock::Params&) { return std::make_unique<Nothing>(); }};
}
void register_operators(penstock::OperatorSink& sink) { (void)sink; (void)nothing;
)" + registration +
         R"( }
penstock::PluginDescriptor descriptor = {sizeof(penstock::PluginDescriptor), 1, 0, ")" +
         name + R"(", "1.2", penstock::kVersion, "tests", "none", register_operators};
}
const penstock::PluginDescriptor* penstock_plugin() { )" +
         change + R"( return &descriptor; })";
}

bool contains(const std::string& text, const std::string& part) {
  CAPTURE(text);
  return text.find(part) != std::string::npos;
}

TEST_CASE("a library is registered by name and version, once however often it is loaded") {
  const Scratch scratch;
  const std::string path =
      scratch.library("good", plugin_code("good", "sink.add(nothing(\"idle\"));"));
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
  const std::string path =
      scratch.library("first", plugin_code("first", "sink.add(nothing(\"idle\"));"));
  const std::string copy = scratch.file("copy.so");
  fs::copy_file(path, copy);
  const std::string second = scratch.library(
      "second",
      plugin_code("second", "sink.add(nothing(\"fresh\")); sink.add(nothing(\"idle\"));"));
  Registry registry;
  CHECK(load_library(path, &registry) == "");
  CHECK(load_library(copy, &registry) == "cannot load '" + copy +
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
      "undefined", plugin_code("undefined", "engine::not_defined_anywhere(1.0);", "",
                               "namespace engine { int not_defined_anywhere(double); }"));
  Registry registry;
  const std::string reason = load_library(path, &registry);
  CHECK(contains(reason, "cannot load '" + path + "': "));
  CHECK(contains(reason,
                 "undefined symbol: _ZN6engine20not_defined_anywhereEd "
                 "(engine::not_defined_anywhere(double))"));
}

/// Sets the variable that the faulty library reads until the end of the scope.
class Fault {
 public:
  explicit Fault(const std::string& name) { setenv(kVariable, name.c_str(), 1); }
  ~Fault() { unsetenv(kVariable); }
  Fault(const Fault&) = delete;
  Fault& operator=(const Fault&) = delete;

 private:
  static constexpr const char* kVariable = "PENSTOCK_TEST_FAULT";
};

constexpr const char* kFaults = R"(
    const std::string fault = std::getenv("PENSTOCK_TEST_FAULT");
    static penstock::PluginDescriptor copy;
    copy = descriptor;
    if (fault == "abi") copy.abi_major = 999;
    if (fault == "minor") copy.abi_minor = 7;
    if (fault == "version") copy.penstock = "7.3.1";
    if (fault == "small") copy.struct_size = 4;
    if (fault == "old") copy.struct_size -= 8;
    if (fault == "nameless") copy.name = nullptr;
    if (fault == "null") return nullptr;
    if (fault == "throws") throw 1;
    return &copy;)";

TEST_CASE("a faulty library is refused, and before any object crosses if its facts are wrong") {
  const Scratch scratch;
  const std::string path = scratch.library(
      "faulty",
      plugin_code("faulty", "sink.add(nothing(\"idle\")); throw std::runtime_error(\"no\");",
                  kFaults));
  const auto reason = [&](const std::string& name) {
    const Fault fault(name);
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
  CHECK(reason("minor") ==
        "it was built for plugin ABI 1.7, this engine has 1.0: build it again with these headers");
  CHECK(reason("version") ==
        "it was built for penstock 7.3.1, this is 0.1.0: build it again with these headers");
  CHECK(reason("small") == "its descriptor has 4 bytes: it is no operator library");
  CHECK(contains(reason("old"), " bytes, not "));
  CHECK(reason("nameless") ==
        "its descriptor is not complete (name, version, penstock, register_operators)");
  CHECK(reason("null") == "it gives no descriptor");
  CHECK(reason("throws") == "penstock_plugin() threw an unknown exception");
  CHECK(reason("none") == "register_operators() threw: no");
}

TEST_CASE("what is no operator library is named as such") {
  const Scratch scratch;
  Registry registry;
  const std::string plain = scratch.library("plain", "extern \"C\" int other() { return 1; }");
  CHECK(load_library(plain, &registry) ==
        "cannot load '" + plain +
            "': it is no operator library: it has no function penstock_plugin");
  CHECK(load_library(scratch.file("none.so"), &registry) ==
        "cannot load '" + scratch.file("none.so") + "': there is no such file");
  std::ofstream(scratch.file("text.so")) << "hello\n";
  CHECK(contains(load_library(scratch.file("text.so"), &registry), "file too short"));
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
