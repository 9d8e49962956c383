#include "compare/comparison.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/comparison_table.h"

namespace penstock {
namespace {

using testing::comparison_of;
using testing::SideRow;

TEST_CASE("figures are medians, ratios those of the pairs") {
  const Comparison result =
      comparison_of({{100, 0.8}, {50, 0.8}, {200, 0.7}}, {{110, 0.4}, {55, 0.4}, {221, 0.3}});
  const MetricPair& rate = metric_of(result, "ex/s");
  CHECK(rate.a == 100);
  CHECK(rate.b == 110);
  CHECK(rate.ratio->value == doctest::Approx(1.1).epsilon(0.01));
  CHECK(rate.ratio->surely_above());
  CHECK(typical(result.a)->examples_per_s == 100);
  CHECK(typical(result.b)->examples_per_s == 110);
  CHECK(typical({}) == nullptr);
  REQUIRE(result.nodes.size() == 3);
  CHECK(result.nodes[0].id == "read");
  CHECK(result.nodes[0].a->on_cpu == doctest::Approx(0.8));
  CHECK(!result.nodes[1].b);  // decode is in A only
  CHECK(!result.nodes[2].a);  // split is in B only
  CHECK(result.edges.size() == 2);
}

TEST_CASE("a share of waiting that falls without a gain misleads") {
  struct Case {
    std::vector<SideRow> a, b;
    bool misleads;
  };
  const std::vector<Case> cases = {
      // The published table of spinning workers: wait_frac 0.89 -> 0.39, ex/s 454 -> 449.
      {{{454, 0.89}, {455, 0.89}, {453, 0.88}}, {{449, 0.39}, {450, 0.39}, {447, 0.40}}, true},
      {{{447, 0.88}}, {{425, 0.27}}, true},
      {{{384, 0.89}, {385, 0.88}, {383, 0.89}}, {{2620, 0.2}, {2600, 0.2}, {2640, 0.2}}, false},
      {{{384, 0.89}}, {{2620, 0.2}}, false},
      // The rate rose as well, but no more than chance.
      {{{400, 0.8}, {500, 0.8}, {450, 0.8}}, {{480, 0.5}, {430, 0.5}, {490, 0.5}}, true},
      // Waiting as before, or nearly.
      {{{450, 0.80}, {451, 0.80}}, {{430, 0.79}, {431, 0.79}}, false},
      {{{450, 0.0}, {451, 0.0}}, {{430, 0.0}, {431, 0.0}}, false},
      // Next to nothing, of next to nothing.
      {{{450, 0.003}, {451, 0.003}}, {{430, 0.0025}, {431, 0.0025}}, false},
  };
  for (const Case& each : cases) {
    CHECK(comparison_of(each.a, each.b).wait_misleads == each.misleads);
  }
}

TEST_CASE("conditions look at the ratio; what cannot be told fails nothing") {
  const auto failed = [](const std::string& text, const Comparison& result) {
    Comparison copy;
    copy.a = result.a;
    copy.b = result.b;
    copy.outputs = result.outputs;
    conclude({parse_condition(text, metric_names())}, &copy);
    return copy.conditions.at(0).failed;
  };
  Comparison slower = comparison_of({{100, 0.5}, {100, 0.5}}, {{90, 0.0}, {90, 0.0}});
  CHECK(failed("ex/s < 0.95", slower));
  CHECK(!failed("ex/s < 0.85", slower));
  CHECK(failed("wait_frac < 1", slower));
  CHECK(!failed("outputs < 1", slower));
  slower.outputs = Outputs{.batches = 5, .first_difference = 3};
  CHECK(failed("outputs < 1", slower));
  slower.outputs = Outputs{.batches = 5, .first_difference = std::nullopt};
  CHECK(!failed("outputs < 1", slower));
  const Comparison from_nothing = comparison_of({{100, 0}}, {{100, 0.5}});
  CHECK(failed("wait_frac > 1.1", from_nothing));
  CHECK(!failed("ex/s < 0.95", comparison_of({}, {})));
}

TEST_CASE("outputs are equal as far as both go, or differ from one batch on") {
  const std::vector<std::string> a = {"1", "2", "3"};
  CHECK(compare_outputs(a, a).equal());
  CHECK(compare_outputs(a, std::vector<std::string>{"1", "2"}).batches == 2);
  CHECK(compare_outputs(a, std::vector<std::string>{"1", "x", "y"}).first_difference ==
        uint64_t{1});
  CHECK(!compare_outputs(a, std::vector<std::string>{}).equal());
}

}  // namespace
}  // namespace penstock
