// The published tables are those of the committed results.

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "attribution/summary.h"
#include "support/plugin_library.h"

namespace penstock::bench::attribution {
namespace {

TEST_CASE("docs/attribution.md has the tables of bench/results/attribution.json") {
  const std::string source = PENSTOCK_SOURCE_DIR;
  const auto summary = nlohmann::ordered_json::parse(
      penstock::testing::bytes_of_file(source + "/bench/results/attribution.json"));
  const std::string page = penstock::testing::bytes_of_file(source + "/docs/attribution.md");
  INFO("docs/attribution.md says how its tables are made");
  CHECK(page.find(markdown_of(summary)) != std::string::npos);
}

}  // namespace
}  // namespace penstock::bench::attribution
