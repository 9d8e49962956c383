#include "diagnose/simulate.h"

#include <doctest/doctest.h>

#include "diagnose/bounds.h"
#include "diagnose/tables.h"
#include "diagnose/traces.h"
#include "diagnose/verdict.h"

using namespace penstock;
using penstock::testing::Table;

namespace {

/// Where nothing varies the model must give what the bounds give.
void check_bound(const Table& table) {
  const Costs costs = costs_of(table);
  CHECK(simulated_rate(costs) == doctest::Approx(lowest(bounds_of(costs))).epsilon(0.02));
}

/// One body in ten takes ten times as long.
const std::vector<double> kStragglers = {0.526, 0.526, 0.526, 0.526, 0.526,
                                         0.526, 0.526, 0.526, 0.526, 5.266};

}  // namespace

TEST_CASE("without variance the model's rate is the lowest bound") {
  check_bound({.nodes = {{"a", 4, 1, 0, 8, false}, {"b", 1, 1, 0, 3, false}}});
  check_bound({.nodes = {{"a", 4, 1, 0, 8, false}, {"b", 1, 1, 0, 1, false}}});
  check_bound({.nodes = {{"a", 4, 1, 3, 0}}, .consumer_cpu_ms = 1, .cpus = 1, .threads = 4});
  check_bound({.nodes = {{"a", 8, 1, 1, 4}, {"b", 8, 1, 1, 4}}, .cpus = 4, .threads = 2});
  check_bound({.nodes = {{"a", 2, 1, 1, 0}}, .consumer_off_ms = 8, .cpus = 2, .threads = 2});
  Costs costs =
      costs_of(Table{.nodes = {{"a", 2, 32, 0.1, 0}, {"b", 1, 1, 4, 0}}, .cpus = 2, .threads = 2});
  costs.edges[0].capacity = 32;  // a whole group gathers while another is collated
  CHECK(simulated_rate(costs) == doctest::Approx(250).epsilon(0.02));
}

TEST_CASE("threads that wait for one of two CPUs while the other is idle cost some rate") {
  const Costs costs =
      costs_of(Table{.nodes = {{"a", 4, 1, 3, 0}}, .consumer_cpu_ms = 1, .cpus = 2, .threads = 4});
  CHECK(simulated_rate(costs) <= 500);
  CHECK(simulated_rate(costs) > 480);
}

TEST_CASE("the engine's own CPU time counts") {
  check_bound({.nodes = {{"a", 4, 1, 3, 0}}, .engine_ms = 1, .cpus = 1, .threads = 4});
}

TEST_CASE("the same run twice is the same, and the seed matters only where times vary") {
  Costs costs = costs_of(Table{.nodes = {{"a", 4, 1, 0, 5, false}}});
  CHECK(simulate(costs, 1).batches_per_s == simulate(costs, 2).batches_per_s);
  costs.nodes[0].spread = kStragglers;
  CHECK(simulate(costs, 1).batches_per_s == simulate(costs, 1).batches_per_s);
  CHECK(simulate(costs, 1).batches_per_s != simulate(costs, 2).batches_per_s);
}

TEST_CASE("stragglers cost rate where order holds results, and none where it does not") {
  Costs costs = costs_of(Table{.nodes = {{"a", 4, 1, 0, 5, false}}});
  costs.nodes[0].spread = kStragglers;
  const double bound = lowest(bounds_of(costs));
  CHECK(simulated_rate(costs) < 0.75 * bound);
  costs.nodes[0].facts.ordered = false;
  CHECK(simulated_rate(costs) == doctest::Approx(bound).epsilon(0.08));
}

TEST_CASE(
    "a consumer that computes all the time is hardly slowed by bodies that wait for results") {
  Costs costs = costs_of(Table{.nodes = {{"a", 2, 8, 0.9, 0}, {"b", 1, 1, 0.3, 0}},
                               .consumer_cpu_ms = 8,
                               .cpus = 2,
                               .threads = 2});
  costs.nodes[0].spread = kStragglers;
  for (EdgeFacts& edge : costs.edges) edge.capacity = 16;
  CHECK(simulated_rate(costs) > 0.95 * 125);
}

TEST_CASE("a deeper queue helps where times vary, and not where they are constant") {
  const Table table{.nodes = {{"a", 1, 1, 0, 5, false}, {"b", 1, 1, 0, 5, false}}};
  Costs now = costs_of(table);
  for (EdgeFacts& edge : now.edges) edge.capacity = 1;
  Costs deeper = now;
  for (EdgeFacts& edge : deeper.edges) edge.capacity = 64;
  CHECK(simulated_gain(now, deeper).value == doctest::Approx(1).epsilon(0.01));
  now.nodes[0].spread = now.nodes[1].spread = kStragglers;
  deeper.nodes = now.nodes;
  const Gain gain = simulated_gain(now, deeper);
  CHECK(gain.low > 1.1);
  CHECK(gain.low < gain.value);
  CHECK(gain.high > gain.value);
}

TEST_CASE("a fan-out whose branches join is as slow as its slower branch") {
  Costs costs = costs_of(Table{.nodes = {{"read", 1, 1, 0, 1, false},
                                         {"left", 1, 1, 0, 6, false},
                                         {"right", 1, 1, 0, 2, false},
                                         {"join", 1, 1, 0, 1, false}}});
  penstock::testing::make_diamond(&costs);
  CHECK(simulated_rate(costs) == doctest::Approx(1000 / 6.0).epsilon(0.01));
  CHECK(lowest(bounds_of(costs)) == doctest::Approx(1000 / 6.0));
}

TEST_CASE(
    "a join takes from its branches together, so a long branch is as full as the queues of the "
    "other") {
  Costs costs = costs_of(Table{.nodes = {{"read", 1, 1, 0, 0.1, false},
                                         {"long", 16, 1, 0, 12, false},
                                         {"short", 1, 1, 0, 0.5, false},
                                         {"join", 1, 1, 0, 0.1, false}}});
  penstock::testing::make_diamond(&costs);
  costs.edges[1].capacity = costs.edges[3].capacity = 1;
  // One in each queue of the short branch, one in its slot, one that read could not give it.
  CHECK(simulated_rate(costs) == doctest::Approx(4 / 12.2e-3).epsilon(0.02));
}

TEST_CASE("a copy waits until the consumer lets go of the memory it needs") {
  Costs costs = costs_of(Table{.nodes = {{"read", 2, 1, 0, 2, false}, {"copy", 1, 1, 0, 4, false}},
                               .consumer_off_ms = 6});
  costs.nodes[1].facts.places = 1;
  CHECK(simulated_rate(costs) == doctest::Approx(100).epsilon(0.02));
  costs.nodes[1].facts.places = 2;
  CHECK(simulated_rate(costs) == doctest::Approx(1000 / 6.0).epsilon(0.02));

  costs.nodes[1].facts.places = 1;
  costs.nodes[1].facts.places_key = "nodes.copy.params.slots";
  costs.batches_per_s = 100;
  const Verdict verdict = judge(Evidence{.costs = costs});
  CHECK(verdict.limit == "device");
  CHECK(verdict.nodes == std::vector<std::string>{"copy"});
  CHECK(verdict.remedy == "nodes.copy.params.slots=2");
  REQUIRE(verdict.gain);
  CHECK(verdict.gain->value == doctest::Approx(10 / 6.0).epsilon(0.03));
  CHECK(verdict.reason.find("copy has 1 slot on the device: the next copy waits until the "
                            "consumer lets go of a batch") != std::string::npos);
}

TEST_CASE("a merge takes from its inputs in turn") {
  Costs costs = costs_of(Table{.nodes = {{"fast", 1, 1, 0, 1, false},
                                         {"slow", 1, 1, 0, 4, false},
                                         {"merge", 1, 2, 0, 0, true}}});
  costs.edges = {{0, 2, 4}, {1, 2, 4}, {2, 3, 4}};
  costs.nodes[0].facts = {.id = "fast", .slots = 1, .pooled = false, .out_edges = {0}};
  costs.nodes[1].facts = {.id = "slow", .slots = 1, .pooled = false, .out_edges = {1}};
  costs.nodes[2].facts = {.id = "merge", .in_edges = {0, 1}, .out_edges = {2}};
  costs.nodes[2].taken = 0.5;
  CHECK(simulated_rate(costs) == doctest::Approx(500).epsilon(0.01));
}

TEST_CASE("a consumer whose steps vary costs rate where the queue before it is short") {
  Costs costs = costs_of(Table{.nodes = {{"a", 1, 1, 0, 5, false}}, .consumer_off_ms = 5});
  costs.edges[0].capacity = 1;
  CHECK(simulated_rate(costs) == doctest::Approx(200).epsilon(0.01));
  costs.consumer.spread = kStragglers;
  CHECK(simulated_rate(costs) < 170);
}

TEST_CASE("a recorded order of times is played again: long ones in a row outlast the queue") {
  Costs costs = costs_of(Table{.nodes = {{"a", 1, 1, 0, 5, false}}, .consumer_off_ms = 5});
  costs.edges[0].capacity = 4;
  std::vector<double> rows, turns;
  for (int i = 0; i < 64; ++i) {
    rows.push_back(i % 32 < 16 ? 0.5 : 1.5);
    turns.push_back(i % 2 == 0 ? 0.5 : 1.5);
  }
  costs.nodes[0].trace = turns;
  CHECK(simulated_rate(costs) == doctest::Approx(200).epsilon(0.02));
  costs.nodes[0].trace = rows;
  CHECK(simulated_rate(costs) < 180);
}

TEST_CASE("a trace has the order of the times and the values of the spread") {
  std::vector<double> times(32, 1);
  for (size_t i = 0; i < times.size(); i += 2) times[i] = 3;
  const std::vector<double> trace = trace_of(times, {0.2, 1.8});
  REQUIRE(trace.size() == times.size());
  for (size_t i = 0; i < trace.size(); ++i) {
    CHECK(trace[i] == doctest::Approx(i % 2 == 0 ? 1.8 : 0.2));
  }
  CHECK(trace_of({1, 2, 3}, {0.2, 1.8}).empty());
}

TEST_CASE("traces of all nodes are of the same samples") {
  // Samples 8 to 11 of every sixteen are slow in either node; the first is eight samples ahead.
  FiringLog log;
  const auto is_slow = [](uint64_t position) { return position % 16 >= 8 && position % 16 < 12; };
  for (uint16_t unit = 0; unit < 2; ++unit) {
    for (uint64_t i = 0; i < 64; ++i) {
      FiringRecord firing;
      firing.unit = unit;
      firing.firing = (uint64_t{unit} << 40) + 1 + i;
      firing.position = i + (unit == 0 ? 8 : 0);
      firing.has_body = true;
      firing.end = is_slow(firing.position) ? 3 : 1;
      log.firings.push_back(firing);
    }
    // An end of an epoch is no sample, wherever it says it is.
    log.firings.push_back({.firing = (uint64_t{unit} << 40) + 65, .position = 0, .unit = unit});
    log.firings.back().is_epoch_end = true;
  }
  Costs costs = costs_of(Table{.nodes = {{"a", 1, 1, 0, 5, false}, {"b", 1, 1, 0, 5, false}}});
  costs.nodes[0].spread = costs.nodes[1].spread = {0.667, 0.667, 0.667, 2};
  add_traces(log, &costs);
  const std::vector<double>& first = costs.nodes[0].trace;
  CHECK(first.size() == 55);  // samples 8 to 62: what follows the last one's begin is not known
  CHECK(first == costs.nodes[1].trace);
  CHECK(first[3] > 1.5);
  CHECK(first[4] < 1);
  // Records that have no sample in common are taken as they are.
  for (FiringRecord& firing : log.firings) firing.position += firing.unit == 0 ? 1000 : 0;
  add_traces(log, &costs);
  CHECK(costs.nodes[0].trace.size() == 64);
}

TEST_CASE("traces are of whole batches, also where records have gaps") {
  // Batches of four, recorded twice, from the middle of one to that of another.
  FiringLog log;
  const auto record = [&log](uint16_t unit, uint64_t first_firing, uint64_t first, uint64_t step,
                             uint64_t count) {
    for (uint64_t i = 0; i < count; ++i) {
      FiringRecord firing;
      firing.unit = unit;
      firing.firing = (uint64_t{unit} << 40) + first_firing + i;
      firing.position = first + i * step;
      firing.has_body = true;
      firing.end = 1 + static_cast<int64_t>(firing.position % 4);
      log.firings.push_back(firing);
    }
  };
  record(0, 1, 2, 1, 100);
  record(0, 151, 203, 1, 100);
  record(1, 1, 0, 4, 26);
  record(1, 40, 200, 4, 26);
  Costs costs = costs_of(Table{.nodes = {{"a", 1, 4, 0, 5, false}, {"b", 1, 1, 0, 5, false}}});
  costs.nodes[0].spread = costs.nodes[1].spread = {0.4, 0.8, 1.2, 1.6};
  add_traces(log, &costs);
  const std::vector<double>& trace = costs.nodes[0].trace;
  REQUIRE(trace.size() == 192);
  CHECK(costs.nodes[1].trace.size() == 48);
  for (size_t i = 0; i < trace.size(); ++i) {
    CHECK(trace[i] == doctest::Approx(0.4 * static_cast<double>(i % 4 + 1)));
  }
}

TEST_CASE("streams that are opened together give their samples together") {
  Costs costs =
      costs_of(Table{.nodes = {{"streams", 4, 0.5, 0, 5, false}, {"b", 1, 1, 0, 1, false}}});
  costs.nodes[0].taken = 0;
  costs.nodes[0].given = 2;
  costs.nodes[1].taken = 1;
  for (EdgeFacts& edge : costs.edges) edge.capacity = 8;
  const double evenly = simulated_rate(costs);
  // Four that open and give four each, then four that find their streams at their ends.
  costs.nodes[0].trace = {2, 2, 2, 2, 0, 0, 0, 0};
  costs.nodes[0].takes = {0, 0, 0, 0, 0, 0, 0, 0};
  costs.nodes[0].gives = {4, 4, 4, 4, 0, 0, 0, 0};
  CHECK(evenly == doctest::Approx(1000).epsilon(0.02));
  // Sixteen after 10 ms; the last of them leave their stream when b has begun with the eighth, 7 ms
  // later, and only then the next four streams are opened.
  CHECK(simulated_rate(costs) == doctest::Approx(16 / 17e-3).epsilon(0.01));
}

TEST_CASE("what streams took and gave is recorded with their times") {
  FiringLog log;
  for (uint64_t i = 0; i < 32; ++i) {
    FiringRecord firing;
    firing.firing = 1 + i;
    firing.position = i / 2;
    firing.enabler = i % 2 == 0 ? (uint64_t{7} << 40) + i : 0;
    firing.given = i % 2 == 0 ? 3 : 0;
    firing.has_body = true;
    firing.end = i % 2 == 0 ? 3 : 0;
    log.firings.push_back(firing);
  }
  Costs costs = costs_of(Table{.nodes = {{"streams", 1, 1, 0, 5, false}}});
  costs.nodes[0].spread = {0, 0, 2, 2};
  add_traces(log, &costs);
  CHECK(costs.nodes[0].gives.empty());
  costs.nodes[0].facts.in_turns = true;
  add_traces(log, &costs);
  const NodeCosts& node = costs.nodes[0];
  REQUIRE(node.gives.size() == node.trace.size());
  REQUIRE(node.takes.size() == node.trace.size());
  for (size_t i = 0; i < node.trace.size(); ++i) {
    CHECK((node.trace[i] > 0) == (node.gives[i] == 3));
    CHECK(node.takes[i] == (node.gives[i] == 3 ? 1 : 0));
  }
}

TEST_CASE("a graph that cannot move ends") {
  Costs costs = costs_of(Table{.nodes = {{"a", 1, 1, 0, 1, false}}});
  costs.nodes[0].given = 0;
  costs.nodes[0].facts.out_edges = {};
  costs.nodes[0].facts.in_edges = {0};
  CHECK(simulate(costs, 0).batches_per_s == 0);
}
