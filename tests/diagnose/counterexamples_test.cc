// Runs on which a simple rule names the wrong node: each case is one table, with the rule it
// breaks.
#include <doctest/doctest.h>

#include "diagnose/simulate.h"
#include "diagnose/tables.h"

using namespace penstock;
using penstock::testing::judge;
using penstock::testing::Table;
using Names = std::vector<std::string>;

namespace {

/// One body in ten takes ten times as long.
const std::vector<double> kStragglers = {0.526, 0.526, 0.526, 0.526, 0.526,
                                         0.526, 0.526, 0.526, 0.526, 5.266};

}  // namespace

TEST_CASE("longest service: sixteen slots of 5 ms outrun one slot of 1 ms") {
  const Verdict verdict = judge(
      Table{.nodes = {{"decode", 16, 1, 5, 0}, {"feed", 1, 1, 1, 0}}, .cpus = 16, .threads = 16});
  CHECK(verdict.limit == "node");
  CHECK(verdict.nodes == Names{"feed"});
  CHECK(verdict.remedy == "nodes.feed.concurrency=2");
  CHECK(verdict.gain->value == doctest::Approx(2));
  CHECK(verdict.next->limit == "cpu");
}

TEST_CASE("longest service: a batch's collate against its 32 reads") {
  const Verdict verdict =
      judge(Table{.nodes = {{"read", 1, 32, 0, 2, false}, {"batch", 1, 1, 30, 0}},
                  .cpus = 4,
                  .threads = 4,
                  .examples = 32});
  CHECK(verdict.nodes == Names{"read"});
}

TEST_CASE("a cheap source before a slow collate: the collate is named") {
  const Verdict verdict = judge(Table{.nodes = {{"read", 1, 32, 0.05, 0}, {"batch", 1, 1, 30, 0}},
                                      .cpus = 2,
                                      .threads = 2,
                                      .examples = 32});
  CHECK(verdict.limit == "node");
  CHECK(verdict.nodes == Names{"batch"});
}

TEST_CASE("the wait fraction: eight slots on one CPU hide the wait in the consumer's work") {
  Costs costs = costs_of(Table{.nodes = {{"work", 8, 32, 2, 0}},
                               .consumer_cpu_ms = 8,
                               .cpus = 1,
                               .threads = 8,
                               .examples = 32});
  costs.consumer.queued_ms = 35;
  costs.consumer.wait_ms = 28;
  costs.consumer.reference_ms = 8;
  const Verdict verdict = judge(Evidence{.costs = costs});
  CHECK(verdict.limit == "cpu");
  CHECK(verdict.nodes == Names{"work", "consumer"});
  CHECK(verdict.reason ==
        "the pipeline and its consumer need 2.25 ms of CPU a sample (work 2.00 ms, consumer 0.25 "
        "ms); 1 CPU gives at most 444 samples/s; you have 444. The pipeline slows the consumer: "
        "its work takes 43.0 ms here and 8.00 ms alone, so a smaller share of waiting is no gain.");
}

TEST_CASE("busy slots: on one saturated CPU the one-slot node is busiest, and the CPU limits") {
  // Four slots of 2.33 ms against one of 1.05 ms that waits for the CPU most of its time.
  const Table table{.nodes = {{"a", 4, 1, 2.33, 0}, {"b", 1, 1, 1.05, 0}}, .cpus = 1, .threads = 8};
  Costs costs = costs_of(table);
  costs.nodes[1].queued_ms = 2.3;
  const Verdict verdict = judge(Evidence{.costs = costs});
  CHECK(verdict.limit == "cpu");
  CHECK(verdict.nodes == Names{"a", "b"});
  CHECK(verdict.model_examples_per_s == doctest::Approx(296).epsilon(0.001));
  CHECK(verdict.gain->value == doctest::Approx(451.0 / 296).epsilon(0.01));  // a twice as fast
}

TEST_CASE("CPU time alone: a remote read waits and is the limit") {
  const Verdict verdict = judge(Table{
      .nodes = {{"fetch", 4, 1, 0.1, 20, false}, {"decode", 2, 1, 3, 0}}, .cpus = 2, .threads = 2});
  CHECK(verdict.limit == "node");
  CHECK(verdict.nodes == Names{"fetch"});
  CHECK(verdict.reason.find("20.0 ms of it waiting") != std::string::npos);
}

TEST_CASE("a small thread pool: no node is full, and the threads limit") {
  const Verdict verdict =
      judge(Table{.nodes = {{"a", 8, 1, 1, 4}, {"b", 8, 1, 1, 4}}, .cpus = 4, .threads = 2});
  CHECK(verdict.limit == "threads");
  CHECK(verdict.remedy == "threads=4");
}

TEST_CASE("the consumer limits, and is not slowed: no node is named") {
  const Verdict verdict =
      judge(Table{.nodes = {{"work", 4, 1, 1, 0}}, .consumer_off_ms = 8, .cpus = 2, .threads = 2});
  CHECK(verdict.limit == "consumer");
  CHECK_FALSE(verdict.remedy);
  CHECK(verdict.reason.find("slows") == std::string::npos);
}

TEST_CASE("the consumer never waits but is slowed by the loaders: the CPU limits") {
  Costs costs = costs_of(
      Table{.nodes = {{"work", 4, 1, 9, 0}}, .consumer_cpu_ms = 8, .cpus = 1, .threads = 4});
  costs.consumer.queued_ms = 9;  // 17 ms a step: all of its time
  costs.consumer.reference_ms = 8;
  const Verdict verdict = judge(Evidence{.costs = costs});
  CHECK(verdict.limit == "cpu");
  CHECK(verdict.reason.find("slows the consumer") != std::string::npos);
}

TEST_CASE(
    "the consumer is named where it uses nine tenths of the one CPU, however little is left") {
  // 7.6 ms of 8: its own bound is 5.3 % above the CPU's.
  const auto verdict = [](double engine_ms) {
    return judge(Table{.nodes = {{"produce", 16, 1, 0, 64, false}},
                       .consumer_cpu_ms = 7.6,
                       .engine_ms = engine_ms});
  };
  CHECK(verdict(0.4).limit == "consumer");
  CHECK(verdict(0.4).nodes == Names{"consumer"});
  CHECK(verdict(1.5).limit == "cpu");  // where others need a sixth of it, it is shared
}

TEST_CASE("one changed consumer does not change what is said of the stages") {
  // Stages of 2.0 s and 0.5 s; consumers of 0.5, 1.5 and 2.3 s.
  for (const auto& [consumer_ms, limit] :
       {std::pair{500.0, "node"}, {1500.0, "node"}, {2300.0, "consumer"}}) {
    const Verdict verdict =
        judge(Table{.nodes = {{"slow", 1, 1, 0, 2000, false}, {"fast", 1, 1, 0, 500, false}},
                    .consumer_off_ms = consumer_ms});
    CHECK(verdict.limit == limit);
    CHECK(verdict.nodes == Names{verdict.limit == "node" ? "slow" : "consumer"});
  }
}

TEST_CASE("a moved bottleneck: the gain ends at the next limit, which is named") {
  const Verdict verdict =
      judge(Table{.nodes = {{"read", 1, 1, 0, 9, false}, {"decode", 1, 1, 0, 10, false}}});
  CHECK(verdict.nodes == Names{"decode"});
  CHECK(verdict.gain->value == doctest::Approx(10.0 / 9));
  CHECK(verdict.next->nodes == Names{"read"});
  CHECK(verdict.next->headroom == doctest::Approx(10.0 / 9));
}

TEST_CASE("two limits at one rate are named together, with the gain of relieving both") {
  const Verdict verdict = judge(Table{
      .nodes = {{"a", 1, 1, 0, 10, false}, {"b", 1, 1, 0, 10.2, false}, {"c", 1, 1, 0, 5, false}}});
  CHECK(verdict.limit == "co_limited");
  CHECK(verdict.nodes == Names{"b", "a"});
  CHECK(verdict.gain->value > 1.5);
}

TEST_CASE("four limits at one rate are no single bottleneck") {
  const Verdict verdict = judge(Table{.nodes = {{"a", 1, 1, 0, 10, false},
                                                {"b", 1, 1, 0, 10, false},
                                                {"c", 1, 1, 0, 10, false},
                                                {"d", 1, 1, 0, 10, false}}});
  CHECK(verdict.limit == "none");
}

TEST_CASE("a serial run is limited by its thread, and by the CPU where that is all there is") {
  Table table{.nodes = {{"work", 1, 32, 2, 0}}, .consumer_cpu_ms = 8, .cpus = 1, .examples = 32};
  table.serial = true;
  CHECK(judge(table).limit == "cpu");
  table.cpus = 2;
  CHECK(judge(table).limit == "threads");
  table.nodes[0] = {"work", 1, 32, 0, 2, false};
  table.cpus = 1;
  CHECK(judge(table).limit == "threads");
}

// The consumer takes 770 a second: as much as the slots could do without waiting for their turn,
// and no more than that if their bodies were faster.
TEST_CASE("results held by order: slots are taken though not working") {
  Costs costs = costs_of(Table{.nodes = {{"work", 4, 1, 0, 5, false}}, .consumer_off_ms = 1.3});
  costs.nodes[0].spread = kStragglers;
  costs.batches_per_s = simulated_rate(costs);
  costs.nodes[0].held_ms = 4;
  const Verdict verdict = judge(Evidence{.costs = costs});
  CHECK(verdict.limit == "order");
  CHECK(verdict.nodes == Names{"work"});
  CHECK(verdict.remedy == "nodes.work.order=any");
  CHECK(verdict.gain->low > 1.1);
}

TEST_CASE("mean occupancy: bursts between half-busy nodes are limited by the queue") {
  Costs costs = costs_of(Table{.nodes = {{"a", 1, 1, 0, 5, false}, {"b", 1, 1, 0, 5, false}}});
  for (EdgeFacts& edge : costs.edges) edge.capacity = 1;
  // One is slow while the other is fast: on average both could do 200 a second.
  for (int i = 0; i < 64; ++i) {
    costs.nodes[0].trace.push_back(i % 8 < 4 ? 0.4 : 1.6);
    costs.nodes[1].trace.push_back(i % 8 < 4 ? 1.6 : 0.4);
  }
  costs.nodes[0].spread = costs.nodes[1].spread = {0.4, 1.6};
  costs.batches_per_s = simulated_rate(costs);
  const Verdict verdict = judge(Evidence{.costs = costs});
  CHECK(verdict.limit == "variance");
  CHECK(verdict.remedy == "nodes.b.queue.items=4");
  CHECK(verdict.gain->value > 1.05);
}

TEST_CASE("nearest unblocked: in a fan-out the slower branch is named, left or right") {
  for (const bool left : {true, false}) {
    Costs costs = costs_of(Table{.nodes = {{"read", 1, 1, 0, 1, false},
                                           {"left", 1, 1, 0, left ? 6.0 : 2.0, false},
                                           {"right", 1, 1, 0, left ? 2.0 : 6.0, false},
                                           {"join", 1, 1, 0, 1, false}}});
    costs.edges = {{0, 1, 4}, {0, 2, 4}, {1, 3, 4}, {2, 3, 4}, {3, 4, 2}};
    CHECK(judge(Evidence{.costs = costs}).nodes == Names{left ? "left" : "right"});
  }
}

TEST_CASE("order between a fan-out and its join is not to be given up: the plan would refuse it") {
  for (const bool joined : {true, false}) {
    Costs costs = costs_of(Table{.nodes = {{"read", 1, 1, 0, 1, false},
                                           {"slow", 4, 1, 0, 5, false},
                                           {"other", 1, 1, 0, 1, false},
                                           {"join", 1, 1, 0, 1, false}}});
    penstock::testing::make_diamond(&costs);
    if (!joined) {
      costs = costs_of(Table{.nodes = {{"slow", 4, 1, 0, 5, false}}, .consumer_off_ms = 1.3});
    }
    NodeCosts& slow = costs.nodes[joined ? 1 : 0];
    slow.spread = kStragglers;
    slow.held_ms = 4;
    costs.batches_per_s = simulated_rate(costs);
    CHECK(judge(Evidence{.costs = costs}).limit == (joined ? "node" : "order"));
  }
}

TEST_CASE("a link to a device: the node that copies waits for it and is not busy") {
  const auto judged = [](double copy_ms) {
    Costs costs =
        costs_of(Table{.nodes = {{"make", 1, 1, 0, 2, false}, {"up", 1, 1, 0.05, 0, false}},
                       .consumer_off_ms = 10});
    costs.nodes[1].copy_ms = copy_ms;
    costs.nodes[1].copied_mb = copy_ms;
    costs.batches_per_s = lowest(bounds_of(costs));
    return judge(Evidence{.costs = costs});
  };
  const Verdict slow = judged(15);
  CHECK(slow.limit == "device");
  CHECK(slow.nodes == Names{"up"});
  CHECK(slow.gain->value == doctest::Approx(1.5));
  CHECK(slow.next->limit == "consumer");
  CHECK_FALSE(slow.remedy);  // no setting makes a link faster
  CHECK(slow.reason.find("copies 15 MB to the device in 15.0 ms (1.00 GB/s)") != std::string::npos);
  CHECK(judged(6).limit == "consumer");  // hidden behind the consumer's work
}

TEST_CASE(
    "slowest call: one sample in a thousand that takes a hundred times as long bounds little") {
  Costs costs = costs_of(Table{.nodes = {{"a", 1, 1, 0, 5, false}, {"b", 1, 1, 0, 3, false}}});
  costs.nodes[1].spread = {0.9, 1.1};
  for (int i = 0; i < 1000; ++i) costs.nodes[1].trace.push_back(i == 500 ? 100 / 1.099 : 1 / 1.099);
  costs.batches_per_s = simulated_rate(costs);
  const Verdict verdict = judge(Evidence{.costs = costs});
  CHECK(verdict.limit == "node");
  CHECK(verdict.nodes == Names{"a"});
}

TEST_CASE("a run that the model does not explain names nothing, and says by how much") {
  const Verdict verdict =
      judge(Table{.nodes = {{"work", 4, 1, 0, 5, false}}, .batches_per_s = 400});
  CHECK(verdict.limit == "invalid");
  CHECK(verdict.nodes.empty());
  CHECK(verdict.reason ==
        "the model does not explain this run: it gives 800 samples/s, and you have 400 (+100 %).");
}

TEST_CASE("a run faster than its bound is a broken measurement") {
  CHECK(judge(Table{.nodes = {{"work", 1, 1, 0, 5, false}}, .batches_per_s = 220}).limit ==
        "invalid");
}

TEST_CASE("the experiment's prediction tells the alternatives apart") {
  const Verdict verdict =
      judge(Table{.nodes = {{"read", 2, 1, 0, 6, false}, {"decode", 1, 1, 4, 0}},
                  .consumer_off_ms = 2,
                  .cpus = 2,
                  .threads = 2});
  REQUIRE(verdict.experiment);
  CHECK(verdict.experiment->set == "nodes.decode.concurrency=2");
  CHECK(verdict.experiment->examples_per_s == doctest::Approx(1000 / 3.0));
  REQUIRE(verdict.alternatives.size() == 2);
  for (const Alternative& other : verdict.alternatives) {
    CHECK(other.examples_per_s == doctest::Approx(250));
  }
}

TEST_CASE("a saturated CPU is shown by slots that bring nothing") {
  const Verdict verdict =
      judge(Table{.nodes = {{"work", 4, 1, 10, 0}}, .consumer_cpu_ms = 1, .cpus = 2, .threads = 2});
  REQUIRE(verdict.experiment);
  CHECK(verdict.experiment->set == "nodes.work.concurrency=8");
  CHECK(verdict.experiment->examples_per_s == doctest::Approx(verdict.examples_per_s));
  REQUIRE_FALSE(verdict.alternatives.empty());
  CHECK(verdict.alternatives[0].nodes == Names{"work"});
  CHECK(verdict.alternatives[0].examples_per_s == doctest::Approx(2 * verdict.examples_per_s));
}
