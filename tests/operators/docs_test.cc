#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "report/schema_doc.h"
#include "support/run_operator.h"

namespace penstock::testing {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
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

TEST_CASE("docs/operators.md is what the schemas say") {
  std::vector<std::string> names = operator_names();
  std::sort(names.begin(), names.end());
  std::vector<Schema> schemas;
  for (const std::string& name : names) schemas.push_back(find_operator(name).schema);
  const std::string page = operators_page(schemas);
  const std::string path = std::string(PENSTOCK_SOURCE_DIR) + "/docs/operators.md";
  INFO("run `build/bin/penstock describe --all --format markdown > docs/operators.md`");
  const bool same = read_text(path) == page;
  CHECK(same);
  if (!same) std::ofstream(std::string(PENSTOCK_BINARY_DIR) + "/operators.md") << page;
}

}  // namespace
}  // namespace penstock::testing
