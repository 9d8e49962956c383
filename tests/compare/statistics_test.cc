#include "compare/statistics.h"

#include <doctest/doctest.h>

#include <vector>

namespace penstock {
namespace {

using Numbers = std::vector<double>;

TEST_CASE("the median is the middle value, or half way between the two") {
  CHECK(median({}) == 0);
  CHECK(median({3}) == 3);
  CHECK(median({9, 1, 5}) == 5);
  CHECK(median({9, 1, 5, 7}) == 6);
}

TEST_CASE("the ratio of pairs is that of their logarithms' mean, with a t interval") {
  // ln ratios 0.1, 0.2, 0.3: mean 0.2, standard error 0.1 / sqrt(3), t(2) = 4.303.
  const Numbers a = {1, 1, 1}, b = {1.1051709181, 1.2214027582, 1.3498588076};
  const auto ratio = paired_ratio(a, b);
  REQUIRE(ratio);
  CHECK(ratio->value == doctest::Approx(1.2214027582));
  CHECK(ratio->low.value() == doctest::Approx(1.2214027582 / 1.2820).epsilon(1e-4));
  CHECK(ratio->high.value() == doctest::Approx(1.2214027582 * 1.2820).epsilon(1e-4));
  CHECK(!ratio->surely_above());
  const auto inverse = paired_ratio(b, a);
  CHECK(inverse->value * ratio->value == doctest::Approx(1.0));
  CHECK(*inverse->low * *ratio->high == doctest::Approx(1.0));
}

TEST_CASE("pairs take out what both runs of a pair share") {
  const Numbers a = {100, 50, 200, 80, 120}, b = {110, 55, 221, 88, 131};
  const auto ratio = paired_ratio(a, b);
  CHECK(ratio->surely_above());
  CHECK(ratio->value == doctest::Approx(1.10).epsilon(0.01));
  CHECK(*ratio->high - *ratio->low < 0.02);
  CHECK(paired_ratio(b, a)->surely_below());
}

TEST_CASE("one pair has a ratio and no interval; values of 0 give the medians' ratio") {
  const auto one = paired_ratio(Numbers{2}, Numbers{3});
  CHECK(one->value == doctest::Approx(1.5));
  CHECK(!one->low);
  CHECK(!one->surely_above());
  const auto zeros = paired_ratio(Numbers{0, 2, 4}, Numbers{1, 1, 1});
  CHECK(zeros->value == doctest::Approx(0.5));
  CHECK(!zeros->low);
  CHECK(paired_ratio(Numbers{0, 0}, Numbers{0, 0})->value == 1);
  CHECK(!paired_ratio(Numbers{0, 0}, Numbers{1, 1}));
  CHECK(!paired_ratio(Numbers{}, Numbers{1}));
  CHECK(paired_ratio(Numbers{2, 9}, Numbers{3})->value == doctest::Approx(1.5));
}

TEST_CASE("a curve stops to rise at the first value near its top") {
  struct Case {
    Numbers rates;
    size_t stop;
  };
  const std::vector<Case> cases = {
      {{384, 447, 902, 1796, 2620, 2639}, 4},
      {{447, 362, 419, 414, 425, 424}, 0},
      {{1, 2, 4, 8}, 3},
      {{100, 96, 90}, 0},
      {{5}, 0},
      {{0, 0}, 0},
  };
  for (const Case& each : cases) CHECK(where_rise_stops(each.rates, 0.05) == each.stop);
  CHECK(!where_rise_stops(Numbers{}, 0.05));
}

}  // namespace
}  // namespace penstock
