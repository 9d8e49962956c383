// The whole way from a run's log to its verdict.
#include <doctest/doctest.h>

#include <vector>

#include "diagnose/verdict.h"

using namespace penstock;

namespace {

constexpr double kMs = 1e6;

/// One batch as the log sees it: the interval, and what of it the node's body and the consumer
/// took.
struct Step {
  double interval_ms, body_cpu_ms, body_off_ms, work_ms;
};

/// work (one slot) -> consumer, with a state after each batch. An epoch has so many batches.
RunLog log_of(const std::vector<Step>& steps, uint64_t epoch = UINT64_MAX) {
  RunLog log;
  Snapshot mark;
  mark.threads = 1;
  mark.units.resize(1);
  mark.units[0].states.starved = {0};
  mark.units[0].states.blocked = {0};
  mark.units[0].sampled.has_run_queue = true;
  mark.edges.resize(1);
  log.marks.push_back(mark);
  for (const Step& step : steps) {
    const auto interval = static_cast<int64_t>(step.interval_ms * kMs);
    const auto body = static_cast<int64_t>((step.body_cpu_ms + step.body_off_ms) * kMs);
    const auto work = static_cast<int64_t>(step.work_ms * kMs);
    UnitSnapshot& unit = mark.units[0];
    unit.states.running += body;
    unit.states.starved[0] += interval - body;
    unit.sampled.firings += 1;
    unit.sampled.wall_ns += body;
    unit.sampled.cpu_ns += static_cast<int64_t>(step.body_cpu_ms * kMs);
    unit.firings += 1;
    unit.items_out += 1;
    if (unit.items_out % epoch == 0) {
      unit.firings += 1;
      unit.epoch_ends += 1;
    }
    unit.service.add(body);
    mark.now = unit.now = mark.now + interval;
    mark.edges[0].puts = mark.edges[0].gets = unit.firings;
    ConsumerSnapshot& consumer = mark.consumer;
    consumer.batches += 1;
    consumer.examples += 4;
    consumer.work_ns += work;
    consumer.wait_ns += interval - work;
    consumer.work_clocks.wall_ns += work;  // all of it off the CPU
    consumer.work_clocks.firings += 1;
    if (consumer.first_batch_ns < 0) consumer.first_batch_ns = mark.now;
    log.batches.push_back({mark.now, 1, 4, interval - work, work});
    log.marks.push_back(mark);
  }
  return log;
}

std::vector<Step> times(size_t count, Step step) { return std::vector<Step>(count, step); }

std::vector<Step> operator+(std::vector<Step> a, const std::vector<Step>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

GraphFacts one_node() {
  GraphFacts graph;
  graph.units.push_back({.id = "work", .op = "op", .slots = 1, .pooled = false});
  graph.units[0].out_edges = {0};
  graph.edges = {{0, 1, 2}};
  return graph;
}

Verdict verdict_on(const std::vector<Step>& steps) {
  return diagnose_run(one_node(), {.cpus = 2, .threads = 2}, log_of(steps));
}

constexpr Step kNodeLimits = {10, 0.1, 9.8, 3};
constexpr Step kConsumerLimits = {14, 0.1, 9.8, 13.8};

}  // namespace

TEST_CASE("a slow start is no part of the verdict") {
  // The first batch takes 40 times as long, in a body that only computes.
  const Verdict verdict = verdict_on(times(1, {400, 400, 0, 3}) + times(80, kNodeLimits));
  CHECK(verdict.limit == "node");
  CHECK(verdict.nodes == std::vector<std::string>{"work"});
  CHECK(verdict.examples_per_s == doctest::Approx(400));
  CHECK(verdict.phases.startup_s == doctest::Approx(0.4));
  CHECK(verdict.reason ==
        "work needs 9.90 ms a batch of 4 (9.80 ms of it waiting); 1 slot gives at most 404 "
        "samples/s; you have 400.");
}

TEST_CASE("the end of an epoch is no firing: it costs nothing and makes no batch") {
  const RunLog log = log_of(times(80, kNodeLimits), 2);
  const auto evidence = steady_evidence(one_node(), {.cpus = 2, .threads = 2}, log, std::nullopt);
  REQUIRE(evidence.has_value());
  const NodeCosts& node = evidence->costs.nodes[0];
  CHECK(node.visits == doctest::Approx(1));
  CHECK(node.given == doctest::Approx(1));
  CHECK(node.cpu_ms == doctest::Approx(0.1));
  CHECK(node.off_ms == doctest::Approx(9.8));
  CHECK(node.spread == std::vector<double>(node.spread.size(), 1.0));
}

TEST_CASE("too few batches give no verdict, and say how many there should be") {
  const Verdict verdict = verdict_on(times(20, kNodeLimits));
  CHECK(verdict.limit == "invalid");
  CHECK(verdict.reason == "19 steady batches of 20 are too few for a verdict (30 or more).");
  CHECK(verdict.confidence == 0);
}

TEST_CASE("a run whose limit changes is not stationary, and each part has its own") {
  const Verdict verdict = verdict_on(times(60, kNodeLimits) + times(60, kConsumerLimits));
  CHECK(verdict.limit == "not_stationary");
  CHECK(verdict.nodes.empty());
  REQUIRE(verdict.by_phase.size() == 2);
  CHECK(verdict.by_phase[0].limit == "node");
  CHECK(verdict.by_phase[1].limit == "consumer");
}

TEST_CASE("parts that name the same limit at rates not far apart make one verdict") {
  const Verdict verdict = verdict_on(times(60, kNodeLimits) + times(60, {11.2, 0.1, 11.0, 3}));
  CHECK(verdict.limit == "node");
  CHECK(verdict.by_phase.empty());
  CHECK(verdict.reason.find("(So it is in both parts of the run, whose rates differ by 12 %.)") !=
        std::string::npos);
  const Verdict far = verdict_on(times(60, kNodeLimits) + times(60, {20, 0.1, 19.8, 3}));
  CHECK(far.limit == "not_stationary");
}

TEST_CASE("CPUs that other programs take are gone, as far as this one waited for them") {
  // 20 ms of CPU a batch on two CPUs; others use one of them, and the run waits for it or does not.
  const auto costs_with = [](double queued_part) {
    RunLog log = log_of(times(80, {20, 10, 10, 3}));
    for (Snapshot& mark : log.marks) {
      mark.process_cpu_ns = mark.now / 2;
      mark.cpus = {.known = true, .busy_ns = mark.now * 3 / 2 + 1};
      mark.units[0].sampled.run_queue_ns =
          static_cast<int64_t>(queued_part * static_cast<double>(mark.units[0].sampled.wall_ns));
    }
    return costs_of(one_node(), {.cpus = 2, .threads = 2}, log.marks.front(), log.marks.back());
  };
  CHECK(costs_with(0).cpus == doctest::Approx(2));
  CHECK(costs_with(0.25).cpus == doctest::Approx(1.75));
  CHECK(costs_with(0.5).cpus == doctest::Approx(1.5));
}

TEST_CASE(
    "sampled CPU time beyond what the process used is time off the CPU: bodies last as long") {
  RunLog log = log_of(times(80, {20, 10, 5, 3}));
  for (Snapshot& mark : log.marks) mark.process_cpu_ns = mark.now / 4;  // 5 ms a batch, not 10
  const Costs costs =
      costs_of(one_node(), {.cpus = 2, .threads = 2}, log.marks.front(), log.marks.back());
  CHECK(costs.nodes[0].cpu_ms == doctest::Approx(5));
  CHECK(costs.nodes[0].off_ms == doctest::Approx(10));
  CHECK(costs.engine_ms == 0);
}

TEST_CASE("what is under way at the ends of the window makes no fraction of an entry") {
  GraphFacts graph;
  graph.units.push_back({.id = "batch", .op = "op", .slots = 1});
  graph.units[0].in_edges = {0};
  graph.units[0].out_edges = {1};
  graph.edges = {{0, 0, 8}, {0, 1, 2}};
  Snapshot begin, end;
  begin.units.resize(1);
  begin.edges.resize(2);
  end = begin;
  end.now = 1'000'000'000;
  end.units[0].firings = 1000;
  end.consumer.batches = 1000;
  const auto costs = [&](uint64_t gets, uint64_t puts) {
    end.edges[0].gets = gets;
    end.edges[1].puts = puts;
    return costs_of(graph, {}, begin, end).nodes[0];
  };
  CHECK(costs(4003, 999).taken == 4);
  CHECK(costs(4003, 999).given == 1);
  CHECK(costs(5333, 500).taken == doctest::Approx(5.333));
  CHECK(costs(5333, 500).given == doctest::Approx(0.5));
}
