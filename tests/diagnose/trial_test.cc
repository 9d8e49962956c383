#include "diagnose/trial.h"

#include <doctest/doctest.h>

#include "diagnose/tables.h"

using namespace penstock;
using penstock::testing::Table;

namespace {

const Table kReadLimits = {.nodes = {{"read", 2, 1, 0, 8, false}, {"decode", 2, 1, 1, 0}},
                           .consumer_off_ms = 1,
                           .cpus = 2,
                           .threads = 2};

Trial made_of(double rate, double low, double high, double alternative) {
  Trial trial;
  trial.set = "nodes.read.concurrency=4";
  trial.hypothesis = {
      .limit = "node", .nodes = {"read"}, .examples_per_s = rate, .low = low, .high = high};
  trial.alternatives = {{.limit = "cpu",
                         .nodes = {},
                         .examples_per_s = alternative,
                         .low = alternative * 0.98,
                         .high = alternative * 1.02}};
  return trial;
}

Measured measured(double rate, double error = 0.01) {
  return {.examples_per_s = rate, .error = error};
}

}  // namespace

TEST_CASE("the trial of a verdict says what each explanation predicts for the change") {
  const Evidence evidence{.costs = costs_of(kReadLimits)};
  const Verdict verdict = judge(evidence);
  const auto trial = change_trial(evidence, verdict);
  REQUIRE(trial);
  CHECK(trial->set == "nodes.read.concurrency=4");
  CHECK(trial->hypothesis.examples_per_s == doctest::Approx(500));
  CHECK(trial->hypothesis.wait_ms == doctest::Approx(1));  // 2 ms a batch, 1 of them work
  REQUIRE(trial->alternatives.size() == 2);
  for (const Expectation& other : trial->alternatives) {
    CHECK(other.examples_per_s == doctest::Approx(250));
    CHECK(other.wait_ms == doctest::Approx(3));
  }
}

TEST_CASE("without the consumer's work a node's limit stays, and the consumer's goes") {
  const Evidence node{.costs = costs_of(kReadLimits)};
  const auto same = headroom_trial(node, judge(node));
  REQUIRE(same);
  CHECK(same->hypothesis.examples_per_s == doctest::Approx(250));
  Table table = kReadLimits;
  table.consumer_off_ms = 10;
  const Evidence consumer{.costs = costs_of(table)};
  const auto more = headroom_trial(consumer, judge(consumer));
  REQUIRE(more);
  CHECK(more->hypothesis.limit == "consumer");
  CHECK(more->hypothesis.examples_per_s == doctest::Approx(250));
  REQUIRE_FALSE(more->alternatives.empty());
  CHECK(more->alternatives[0].examples_per_s == doctest::Approx(100));
  table.consumer_off_ms = 0;
  const Evidence idle{.costs = costs_of(table)};
  CHECK_FALSE(headroom_trial(idle, judge(idle)));
}

TEST_CASE("no verdict, no trial") {
  Costs costs = costs_of(kReadLimits);
  costs.batches_per_s = 20;
  const Evidence evidence{.costs = costs};
  const Verdict verdict = judge(evidence);
  CHECK(verdict.limit == "invalid");
  CHECK_FALSE(change_trial(evidence, verdict));
  CHECK_FALSE(headroom_trial(evidence, verdict));
}

TEST_CASE("an outcome speaks for the verdict, for an alternative, for both or for neither") {
  struct Row {
    double after, alternative;
    Finding finding;
  };
  for (const Row& row : {Row{195, 100, Finding::kHolds}, Row{195, 199, Finding::kUndecided},
                         Row{103, 100, Finding::kAlternative}, Row{150, 100, Finding::kNeither}}) {
    const TrialResult result =
        interpret(made_of(200, 190, 210, row.alternative), 100, measured(100), measured(row.after));
    CHECK(result.finding == row.finding);
    CHECK(result.ratio == doctest::Approx(row.after / 100));
  }
}

TEST_CASE("ratios count: a machine that became slower meanwhile does not refute a prediction") {
  const TrialResult result =
      interpret(made_of(200, 190, 210, 100), 100, measured(80), measured(160));
  CHECK(result.finding == Finding::kHolds);
  CHECK(interpret(made_of(200, 190, 210, 100), 100, measured(0), measured(1)).finding ==
        Finding::kNeither);
}

TEST_CASE("runs of one setting are averaged, and their differences are part of the error") {
  const Measured mean = combined({measured(90, 0.01), measured(110, 0.03)});
  CHECK(mean.examples_per_s == doctest::Approx(100));
  CHECK(mean.error == doctest::Approx(0.1));
  CHECK(combined({measured(100, 0.02)}).error == doctest::Approx(0.02));
}
