#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "penstock/testing.h"
#include "report/schema_doc.h"
#include "report/schema_text.h"

namespace penstock::testing {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Registry built_in_operators() {
  Registry registry;
  for (const std::string& name : operator_names()) {
    CHECK(registry.add(find_operator(name), "penstock_operators") == "");
  }
  return registry;
}

TEST_CASE("a parameter is described as one would write it") {
  const auto text = [](const Param& param) {
    const ParamWords words = words_of(param);
    return words.type + "/" + words.default_value + "/" + words.range;
  };
  CHECK(text({.name = "a", .type = ParamType::kInt, .required = true, .low = 1}) ==
        "int/required/at least 1");
  CHECK(text({.name = "a", .type = ParamType::kDuration, .default_value = int64_t{8'000'000}}) ==
        "duration/8ms/");
  CHECK(text({.name = "a",
              .type = ParamType::kBytes,
              .default_value = int64_t{3 << 20},
              .low = 1 << 10,
              .high = 1 << 30}) == "bytes/3MiB/1KiB to 1GiB");
  CHECK(text({.name = "a",
              .type = ParamType::kFloatList,
              .default_value = std::vector<double>{0.5, 2},
              .low = 0,
              .min_items = 1,
              .max_items = 3}) == "list of floats/[0.5, 2]/1 to 3 values, each at least 0");
  CHECK(text({.name = "a", .type = ParamType::kChoice, .choices = {"x", "y"}}) == "one of x, y//");
}

TEST_CASE("describe shows the operator's parameters and those that the engine adds") {
  const Registry registry = built_in_operators();
  CHECK(format_operator_text(*registry.find("repeat")) ==
        "repeat: expand: one item in, several out; on the CPU threads\n"
        "  Passes on each item several times. The copies share their memory and differ in their "
        "child "
        "path,\n"
        "  so that random operators behind it draw anew for each.\n"
        "  From penstock_operators, since 0.1.0.\n"
        "\n"
        "parameters\n"
        "  times: int, required, in items, 0 to 4294967295\n"
        "      How often each item goes on.\n"
        "  cycle: int, default 4, 1 to 4096\n"
        "      Inputs that are open at a time; their outputs come in turn.\n"
        "  chunk: int, default 8, 1 to 1048576\n"
        "      Outputs taken from one input before the next one's turn.\n"
        "\n"
        "example\n"
        "  - {op: repeat, params: {times: 2}}\n");
}

TEST_CASE("docs/operators.md is what the schemas say") {
  const std::string page = format_operators_markdown(built_in_operators());
  const std::string path = std::string(PENSTOCK_SOURCE_DIR) + "/docs/operators.md";
  INFO("run `build/bin/penstock describe --all --format markdown > docs/operators.md`");
  const bool same = read_text(path) == page;
  CHECK(same);
  if (!same) std::ofstream(std::string(PENSTOCK_BINARY_DIR) + "/operators.md") << page;
}

}  // namespace
}  // namespace penstock::testing
