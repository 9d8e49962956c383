// What really limits, found by trying: on a machine whose rates are a formula.

#include "attribution/truth.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace penstock::bench::attribution {
namespace {

constexpr double kLong = 1e9;  // seconds: rounds end by themselves

NodeCase node(const std::string& id, Role role, std::vector<size_t> from, int slots, double ms) {
  NodeCase node;
  node.id = id;
  node.role = role;
  node.from = std::move(from);
  node.slots = slots;
  node.io = true;
  node.off_ms = ms;
  return node;
}

/// read 4 ms in 2 slots, decode 9 ms in 3 slots: 2 and 3 ms a batch; the consumer 1 ms.
PipelineCase chain() {
  PipelineCase pipeline;
  pipeline.seed = 5;
  pipeline.period_ms = 3;
  pipeline.threads = 1;
  pipeline.nodes = {node("read", Role::kSource, {}, 2, 4), node("decode", Role::kMap, {0}, 3, 9)};
  pipeline.consumer.off_ms = 1;
  return pipeline;
}

/// Batches/s where nothing but slots and the consumer limits.
double rate_of(const PipelineCase& pipeline) {
  double longest = pipeline.consumer.service_ms();
  for (const NodeCase& node : pipeline.nodes) {
    longest = std::max(longest, node.service_ms() / node.slots);
  }
  return 1e3 / longest;
}

const Effect& effect_of(const Truth& truth, const std::string& text) {
  const auto found = std::find_if(truth.effects.begin(), truth.effects.end(),
                                  [&text](const Effect& effect) { return effect.text == text; });
  REQUIRE(found != truth.effects.end());
  return *found;
}

TEST_CASE("an effect is the mean log ratio, its interval Student's t of the pooled spread") {
  Rounds rounds;
  rounds.logs = {{0.1, 0.1}, {0.0, 0.2}};
  std::vector<Effect> effects(2);
  estimate_effects(rounds, &effects);
  // Squares 0 + 0.02 over 2 degrees of freedom: 0.1; t of 2 at 95 % is 2.920; two rounds each.
  const double width = 2.920 * 0.1 / std::sqrt(2.0);
  for (const Effect& effect : effects) {
    CHECK(effect.rounds == 2);
    CHECK(effect.gain == doctest::Approx(std::exp(0.1)));
    CHECK(effect.low == doctest::Approx(std::exp(0.1 - width)));
    CHECK(effect.high == doctest::Approx(std::exp(0.1 + width)));
  }
}

TEST_CASE("one round alone tells no interval") {
  Rounds rounds;
  rounds.logs = {{0.1}};
  std::vector<Effect> effects(1);
  estimate_effects(rounds, &effects);
  CHECK((effects[0].high - effects[0].low) / 2 > kHalfWidth);
}

TEST_CASE("every change is tried, the best one and its rivals in rounds") {
  const PipelineCase pipeline = chain();
  const Truth truth = find_truth(
      pipeline, {}, kLong,
      [](const PipelineCase& changed, bool) -> std::optional<double> { return rate_of(changed); });
  CHECK(effect_of(truth, "half decode").gain == doctest::Approx(1.5));  // then read limits: 2 ms
  CHECK(effect_of(truth, "slots decode 4").gain == doctest::Approx(3 / 2.25));
  CHECK(effect_of(truth, "half read").gain == doctest::Approx(1));
  CHECK(effect_of(truth, "half consumer").gain == doctest::Approx(1));
  CHECK(effect_of(truth, "threads 2").gain == doctest::Approx(1));
  CHECK(effect_of(truth, "queues x2").gain == doctest::Approx(1));
  CHECK(truth.effects.front().text == "half decode");
  CHECK(truth.effects.front().rounds >= 3);
  CHECK(effect_of(truth, "half read").rounds == 0);  // far from the best: once is enough
  CHECK(truth.half_width <= kHalfWidth);
  CHECK(!truth.remedy);
}

TEST_CASE("what was advised takes part in the rounds") {
  const Truth truth = find_truth(
      chain(), {{Lever::kSlots, "decode", 9}}, kLong,
      [](const PipelineCase& changed, bool) -> std::optional<double> { return rate_of(changed); });
  REQUIRE(truth.remedy);
  CHECK(truth.remedy->text == "slots decode 9");
  CHECK(truth.remedy->gain == doctest::Approx(1.5));
  CHECK(truth.remedy->rounds == truth.effects.front().rounds);
}

TEST_CASE("a machine that slows down steadily changes no gain") {
  double slow = 1;
  const Truth truth = find_truth(
      chain(), {}, kLong, [&slow](const PipelineCase& changed, bool) -> std::optional<double> {
        slow *= 0.999;
        return rate_of(changed) * slow;
      });
  CHECK(truth.effects.front().text == "half decode");
  CHECK(truth.effects.front().gain == doctest::Approx(1.5).epsilon(0.002));
}

TEST_CASE("one slow run of the pipeline as it is makes no change look good") {
  bool first = true;
  const Truth truth = find_truth(
      chain(), {}, kLong, [&first](const PipelineCase& changed, bool) -> std::optional<double> {
        return rate_of(changed) * (std::exchange(first, false) ? 0.5 : 1);
      });
  CHECK(effect_of(truth, "half read").gain == doctest::Approx(1));
}

TEST_CASE("a change that does not run is no answer") {
  const Truth truth = find_truth(chain(), {{Lever::kSlots, "decode", 9}}, kLong,
                                 [](const PipelineCase& changed, bool) -> std::optional<double> {
                                   if (changed.nodes[1].slots > 3) return std::nullopt;
                                   return rate_of(changed);
                                 });
  CHECK(!truth.remedy);
  CHECK(truth.effects.front().text == "half decode");
}

}  // namespace
}  // namespace penstock::bench::attribution
