#include "compare/condition.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compare/bad_request.h"

namespace penstock {
namespace {

const std::vector<std::string> kMetrics = {"ex/s", "wait_p95"};

std::string complaint(const std::string& text) {
  try {
    parse_condition(text, kMetrics);
  } catch (const BadRequest& bad) {
    return std::string(bad.what()) + "; " + bad.help();
  }
  return "";
}

TEST_CASE("a condition is a metric, a comparison and a number") {
  struct Case {
    const char* text;
    double ratio;
    bool holds;
  };
  const std::vector<Case> cases = {
      {"ex/s < 0.95", 0.94, true},    {"ex/s < 0.95", 0.95, false},  {"ex/s<=0.95", 0.95, true},
      {" wait_p95 > 1.1", 1.2, true}, {"wait_p95>1.1 ", 1.1, false}, {"wait_p95 >= 1.1", 1.1, true},
  };
  for (const Case& each : cases) {
    const Condition condition = parse_condition(each.text, kMetrics);
    CHECK(condition.holds(each.ratio) == each.holds);
    CHECK(condition.text == each.text);
  }
}

TEST_CASE("what is no condition says why, and what the metrics are") {
  const std::string example = "; a condition is METRIC < NUMBER (or <=, >, >=), as 'ex/s < 0.95'";
  CHECK(complaint("ex/s") == "--fail-if 'ex/s': there is no comparison in it" + example);
  CHECK(complaint("ex/s < fast") == "--fail-if 'ex/s < fast': 'fast' is no number" + example);
  CHECK(complaint("ex/s <") == "--fail-if 'ex/s <': '' is no number" + example);
  CHECK(complaint("ex/s < 1 2") == "--fail-if 'ex/s < 1 2': '1 2' is no number" + example);
  CHECK(complaint("wait_p9 > 1") ==
        "--fail-if 'wait_p9 > 1': there is no metric 'wait_p9'; did you mean 'wait_p95'? The "
        "metrics, each as B / A, are ex/s, wait_p95");
  CHECK(
      complaint("colour > 1") ==
      "--fail-if 'colour > 1': there is no metric 'colour'; The metrics, each as B / A, are ex/s, "
      "wait_p95");
}

}  // namespace
}  // namespace penstock
