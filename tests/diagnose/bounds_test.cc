#include "diagnose/bounds.h"

#include <doctest/doctest.h>

#include "diagnose/tables.h"

using namespace penstock;
using penstock::testing::Table;

namespace {

double bound(const Costs& costs, Resource resource, size_t node = 0) {
  for (const Bound& bound : bounds_of(costs)) {
    if (bound.resource == resource && (resource != Resource::kSlots || bound.node == node)) {
      return bound.batches_per_s;
    }
  }
  return 0;
}

/// read (I/O) -> decode -> collate, batches of 32, on 2 CPUs with 2 threads.
const Table kPhotos = {
    .nodes = {{"read", 8, 32, 0.1, 0.9, false}, {"decode", 2, 32, 1.5, 0.1}, {"batch", 1, 1, 4, 0}},
    .consumer_cpu_ms = 8,
    .engine_ms = 0.8,
    .cpus = 2,
    .threads = 2,
    .examples = 32};

}  // namespace

TEST_CASE("each resource bounds the rate by what there is of it over what a batch needs") {
  const Costs costs = costs_of(kPhotos);
  CHECK(bound(costs, Resource::kSlots, 0) == doctest::Approx(8 / (32 * 1.0) * 1e3));
  CHECK(bound(costs, Resource::kSlots, 1) == doctest::Approx(2 / (32 * 1.6) * 1e3));
  CHECK(bound(costs, Resource::kSlots, 2) == doctest::Approx(1 / 4.0 * 1e3));
  CHECK(bound(costs, Resource::kCpu) ==
        doctest::Approx(2 / (32 * 0.1 + 32 * 1.5 + 4 + 8 + 0.8) * 1e3));
  CHECK(bound(costs, Resource::kThreads) == doctest::Approx(2 / (32 * 1.6 + 4) * 1e3));
  CHECK(bound(costs, Resource::kConsumer) == doctest::Approx(125));
  CHECK(bounds_of(costs).front().resource == Resource::kCpu);
}

TEST_CASE("a serial run has the bounds of its one thread and of the CPU") {
  Table table = kPhotos;
  table.serial = true;
  const Costs costs = costs_of(table);
  CHECK(bounds_of(costs).size() == 2);
  CHECK(bound(costs, Resource::kThreads) ==
        doctest::Approx(1 / (32 * 1.0 + 32 * 1.6 + 4 + 8 + 0.8) * 1e3));
}

TEST_CASE("time in the run queue bounds nothing") {
  Costs costs = costs_of(kPhotos);
  costs.nodes[1].queued_ms = 50;
  costs.consumer.queued_ms = 50;
  CHECK(lowest(bounds_of(costs)) == lowest(bounds_of(costs_of(kPhotos))));
}

TEST_CASE("threads that tie with the CPU are no limit of their own") {
  const Costs costs = costs_of(Table{.nodes = {{"work", 4, 1, 10, 0}}, .cpus = 2, .threads = 2});
  const std::vector<Bound> limits = limiting(bounds_of(costs), 0.05);
  REQUIRE(limits.size() == 1);
  CHECK(limits[0].resource == Resource::kCpu);
}

TEST_CASE("the rate of another setting is predicted by the bounds of both") {
  Costs measured = costs_of(kPhotos);
  measured.batches_per_s *= 0.95;  // 5 % remain unexplained, here and there
  GraphFacts graph;
  for (const NodeCosts& node : measured.nodes) graph.units.push_back(node.facts);
  graph.units[1].slots = 1;
  const Costs changed = with_setting(measured, graph, {.cpus = 2, .threads = 2});
  const Prediction prediction = predict(measured, changed);
  CHECK(prediction.limit == "node");
  CHECK(prediction.nodes == std::vector<std::string>{"decode"});
  CHECK(prediction.examples_per_s == doctest::Approx(0.95 * 32 / (32 * 1.6) * 1e3));
}

TEST_CASE("what a serial run lost to the run queue is not carried over") {
  Table table{.nodes = {{"work", 1, 1, 0, 64, false}}, .consumer_cpu_ms = 8, .serial = true};
  Costs serial = costs_of(table);
  serial.consumer.queued_ms = 4;  // behind another program, on a CPU that was idle before
  serial.batches_per_s = 1e3 / 76;
  GraphFacts graph{.units = {serial.nodes[0].facts}};
  graph.units[0].slots = 16;
  const Costs changed = with_setting(serial, graph, {.cpus = 1, .threads = 1});
  CHECK(predict(serial, changed).examples_per_s == doctest::Approx(1e3 / 8));
}

TEST_CASE("the seed's split step is predicted from its serial row alone") {
  // 32 x 2 ms and a consumer of 8 ms on one CPU: 32 / 72 ms, for any number of workers.
  Table spin{.nodes = {{"work", 1, 32, 2, 0}}, .consumer_cpu_ms = 8, .examples = 32};
  spin.serial = true;
  const Costs serial = costs_of(spin);
  CHECK(serial.batches_per_s * 32 == doctest::Approx(444.4).epsilon(0.001));
  // The same with sleep: min(32 w / 64 ms, 32 / 8 ms).
  Table sleep{.nodes = {{"work", 1, 32, 0, 2, false}}, .consumer_off_ms = 8, .examples = 32};
  sleep.serial = true;
  const Costs slept = costs_of(sleep);
  for (const int workers : {1, 2, 4, 8, 16}) {
    GraphFacts graph;
    graph.units = {spin.nodes.empty() ? UnitFacts{} : serial.nodes[0].facts};
    graph.units[0].slots = workers;
    const MachineFacts machine{.cpus = 1, .threads = 1};
    CHECK(predict(serial, with_setting(serial, graph, machine)).examples_per_s ==
          doctest::Approx(444.4).epsilon(0.001));
    graph.units[0].pooled = false;
    CHECK(predict(slept, with_setting(slept, graph, machine)).examples_per_s ==
          doctest::Approx(std::min(workers * 500.0, 4000.0)));
  }
}
