// Whether a verdict was right, from lines as the suite writes them.

#include "attribution/score.h"

#include <doctest/doctest.h>

#include "attribution/summary.h"

namespace penstock::bench::attribution {
namespace {

using Json = nlohmann::ordered_json;

Json effect(const std::string& change, const std::string& answer, double gain, double half = 0.01) {
  Json effect = {{"change", change},
                 {"answer", answer},
                 {"gain", gain},
                 {"low", gain - half},
                 {"high", gain + half}};
  if (half > 0) effect["rounds"] = 4;
  return effect;
}

/// What was seen once, without an interval.
Json seen_once(const std::string& change, const std::string& answer, double gain) {
  return effect(change, answer, gain, 0);
}

Json line(const std::string& limit, const std::vector<std::string>& nodes, const Json& effects,
          const Json& remedy = nullptr) {
  const Json verdict = {{"limit", limit}, {"nodes", nodes}, {"confidence", 0.9}, {"gain", nullptr}};
  return {{"seed", 1},
          {"case", {{"planted", "slot_io"}}},
          {"effects", effects},
          {"remedy", remedy},
          {"observed",
           {{"verdict", verdict}, {"hungriest", "decode"}, {"baselines", {{"busy", "read"}}}}}};
}

TEST_CASE("a verdict is right that names a change whose interval overlaps the best one's") {
  const Json effects = {effect("half decode", "decode", 1.30), effect("half read", "read", 1.285),
                        effect("half crop", "crop", 1.25),
                        seen_once("half consumer", "consumer", 1.31)};
  const Score best = score_of(line("node", {"decode"}, effects));
  CHECK(best.tied == std::set<std::string>{"decode", "read", "consumer"});
  CHECK(best.counts);
  CHECK(best.best_gain == 1.30);
  CHECK(best.right);
  CHECK(*best.regret == doctest::Approx(0));
  const Score tied = score_of(line("node", {"read"}, effects));
  CHECK(tied.right);
  CHECK(*tied.regret == doctest::Approx(0.015));
  const Score wrong = score_of(line("node", {"crop"}, effects));
  CHECK(!wrong.right);
  CHECK(*wrong.regret == doctest::Approx(0.05));
  CHECK(score_of(line("cpu", {}, effects)).right);  // the hungriest node
  CHECK(!score_of(line("threads", {}, effects)).right);
}

TEST_CASE("nothing limits where the best may gain less than 3 %") {
  const Json effects = {effect("half decode", "decode", 1.035), effect("half read", "read", 1.0)};
  CHECK(score_of(line("none", {}, effects)).right);
  CHECK(*score_of(line("none", {}, effects)).regret == doctest::Approx(0.035));
  CHECK(score_of(line("node", {"decode"}, effects)).right);  // it may also be that
  CHECK(!score_of(line("node", {"read"}, effects)).right);
  const Json clear = Json::array({effect("half decode", "decode", 1.2)});
  CHECK(!score_of(line("none", {}, clear)).right);
}

TEST_CASE("a best gain that is not known within 3 points does not count") {
  const Score score =
      score_of(line("node", {"decode"}, Json::array({effect("half decode", "decode", 1.3, 0.04)})));
  CHECK(!score.counts);
  CHECK(score.why_not == "half-width");
  CHECK(score_of({{"seed", 2}, {"case", {{"planted", "cpu"}}}}).why_not == "error");
}

TEST_CASE("no answer is never right") {
  const Score score =
      score_of(line("invalid", {}, Json::array({effect("half decode", "decode", 1.3)})));
  CHECK(score.abstains);
  CHECK(!score.right);
}

TEST_CASE("what was advised is an answer of its own; by single changes alone it is not") {
  const Json effects = Json::array({effect("half decode", "decode", 1.30)});
  const Score right =
      score_of(line("order", {"crop"}, effects, effect("order crop", "order crop", 1.295)));
  CHECK(right.right);
  CHECK(!right.right_alone);
  CHECK(*right.measured == 1.295);
  const Score wrong =
      score_of(line("order", {"crop"}, effects, effect("order crop", "order crop", 1.2)));
  CHECK(!wrong.right);
}

TEST_CASE("several together must do what the best does, and have it where it does much alone") {
  const Json little = {effect("half decode", "decode", 1.02), effect("half read", "read", 1.01)};
  const Json much = {effect("half decode", "decode", 1.3), effect("half read", "read", 1.01)};
  const auto all = [](double gain) {
    Json remedy = effect("half crop, half read", "", gain);
    remedy.erase("answer");
    return remedy;
  };
  CHECK(score_of(line("co_limited", {"crop", "read"}, little, all(1.5))).right);
  CHECK(!score_of(line("co_limited", {"crop", "read"}, little, all(1.01))).right);
  CHECK(!score_of(line("co_limited", {"crop", "read"}, much, all(1.5))).right);
  CHECK(score_of(line("co_limited", {"decode", "read"}, much, all(1.5))).right);
  CHECK(!score_of(line("co_limited", {"decode", "read"}, much, all(1.1))).right);
}

TEST_CASE("a prediction is compared with what the advice was measured to gain") {
  Json of = line("node", {"decode"}, Json::array({effect("half decode", "decode", 1.30)}),
                 effect("slots decode 8", "decode", 1.28));
  of["observed"]["verdict"]["gain"] = {{"value", 1.25}, {"low", 1.2}, {"high", 1.27}};
  Score score = score_of(of);
  CHECK(*score.predicted == 1.25);
  CHECK(*score.measured == 1.28);
  CHECK(!score.covered);
  of["observed"]["verdict"]["gain"]["high"] = 1.3;
  CHECK(score_of(of).covered);
}

TEST_CASE("a summary counts what counts") {
  const Json effects = {effect("half decode", "decode", 1.30), effect("half read", "read", 1.2)};
  const Json nothing = Json::array({effect("half decode", "decode", 1.0)});
  Json unsure = line("node", {"read"}, effects);
  unsure["observed"]["verdict"]["confidence"] = 0.5;
  Json wide = line("node", {"read"}, Json::array({effect("half decode", "decode", 1.3, 0.05)}));
  const std::vector<Score> scores = {
      score_of(line("node", {"decode"}, effects)), score_of(unsure),
      score_of(line("node", {"decode"}, nothing)), score_of(line("none", {}, nothing)),
      score_of(line("invalid", {}, effects)),      score_of(wide)};
  const Json summary = summary_of(scores);
  CHECK(summary["pipelines"] == 6);
  CHECK(summary["counting"] == 5);
  CHECK(summary["counting_none_or_consumer"] == 2);
  CHECK(summary["planted_none_or_consumer"] <= summary["counting"]);
  CHECK(summary["discarded"]["half-width"] == 1);
  CHECK(double(summary["right"]) == doctest::Approx(2.0 / 5));
  CHECK(double(summary["answered"]) == doctest::Approx(4.0 / 5));
  CHECK(double(summary["right_where_answered"]) == doctest::Approx(2.0 / 4));
  CHECK(double(summary["confident"]["coverage"]) == doctest::Approx(3.0 / 5));
  CHECK(double(summary["confident"]["right"]) == doctest::Approx(2.0 / 3));
  CHECK(double(summary["false_names"]) == doctest::Approx(1.0 / 2));
  CHECK(summary["classes"]["slot_io"]["count"] == 5);
  CHECK(double(summary["baselines"]["busy"]["right"]) == doctest::Approx(0));
  CHECK(summary["wrong"].size() == 3);
}

}  // namespace
}  // namespace penstock::bench::attribution
