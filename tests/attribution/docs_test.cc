// The published tables are those of the committed results.

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "attribution/summary.h"

namespace penstock::bench::attribution {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST_CASE("docs/attribution.md has the tables of bench/results/attribution.json") {
  const std::string source = PENSTOCK_SOURCE_DIR;
  const auto summary =
      nlohmann::ordered_json::parse(read_text(source + "/bench/results/attribution.json"));
  const std::string page = read_text(source + "/docs/attribution.md");
  INFO("docs/attribution.md says how its tables are made");
  CHECK(page.find(markdown_of(summary)) != std::string::npos);
}

}  // namespace
}  // namespace penstock::bench::attribution
