// The smallest graphs that hang or give something else under simpler rules than the engine's, each
// at capacity 1, under every way of scheduling. (The one that mixes a merge into a cycle is refused
// by the plan: tests/plan.)
#include <doctest/doctest.h>

#include <chrono>

#include "penstock/testing.h"
#include "support/case_builder.h"
#include "support/graph_run.h"

namespace penstock::testing {
namespace {

/// The graph gives what the reference says under threads, inline and many seeded schedules.
void holds(const GraphCase& graph, int seeded = 20) {
  for (const Mode& mode : all_modes(graph.seed, seeded)) {
    const std::string wrong = try_graph(graph, mode);
    const std::string text = wrong.empty() ? "" : explain(graph, mode, wrong, false);
    CHECK(text == "");
  }
}

/// Makes the body of that node fail for that sample, and for no other of the first ones.
void fail_at(GraphCase* graph, int node, uint64_t position, int count) {
  graph->nodes[static_cast<size_t>(node)].fail = 300;
  const auto fits = [&] {
    for (uint64_t i = 0; i < static_cast<uint64_t>(count); ++i) {
      Origin origin;
      origin.position = i;
      if (body_fails(*graph, node, key_of(origin)) != (i == position)) return false;
    }
    return true;
  };
  while (!fits()) ++graph->seed;
}

TEST_CASE("take ends an epoch, not the stream") {
  CaseBuilder b;
  holds(b.build(b.take(b.source({0, 1, 1}), 1)));
  CaseBuilder c;
  holds(c.build(c.take(c.map(c.source({5, 1, 4})), 2)));
}

TEST_CASE("the shorter side of a zip ends the epoch at once") {
  CaseBuilder b;
  holds(b.build(b.zip({b.source({2, 1, 4}), b.source({1, 1, 1})})));
}

TEST_CASE("a take of nothing in front of a zip") {
  CaseBuilder b;
  const int left = b.take(b.source({2, 0, 3}), 0);
  holds(b.build(b.zip({left, b.source({2, 1, 4})})));
}

TEST_CASE("filtered samples keep their turn in a merge") {
  for (int drop : {300, 1000}) {
    CaseBuilder b;
    const int source = b.source({7, 0, 9});
    holds(b.build(b.merge({b.filter(source, drop), source})));
  }
}

TEST_CASE("the end of a merge's input is no turn, whenever it comes") {
  CaseBuilder b(1, 8);
  const int source = b.source({4, 1, 2});
  b.at(source).concurrency = 2;
  const GraphCase graph = b.build(b.merge({source, source}));
  Mode mode{"threads", {}, 0};
  for (uint64_t i = 0; i < 500; ++i) {  // the moment between two looks at an edge is short
    mode.jitter = 2 * i + 1;
    mode.options.threads = 1 + static_cast<int>(i % 2);
    REQUIRE(try_graph(graph, mode) == "");
  }
}

TEST_CASE("a Sink's error comes at its epoch's end") {
  CaseBuilder b;
  const int source = b.source({4, 2, 3});
  const int map = b.map(source);
  b.sink(map);
  b.at(map).on_fail = OnFail::kFail;
  GraphCase graph = b.build(source);
  fail_at(&graph, map, 1, 4);
  holds(graph);
}

TEST_CASE("the body of a Sink that fails is an error of its epoch") {
  CaseBuilder b;
  const int source = b.source({4, 2, 3});
  const int sink = b.sink(source);
  b.at(sink).on_fail = OnFail::kFail;
  GraphCase graph = b.build(source);
  fail_at(&graph, sink, 2, 4);
  holds(graph);
}

TEST_CASE("an error behind what a take wants is nobody's error") {
  CaseBuilder b;
  const int source = b.source({3, 3, 3});
  b.at(source).on_fail = OnFail::kFail;
  GraphCase graph = b.build(b.take(source, 1));
  const auto first_fails = [&] {
    for (uint32_t epoch = 0; epoch < 3; ++epoch) {
      Origin origin;
      origin.epoch = epoch;
      if (body_fails(graph, source, key_of(origin))) return true;
    }
    return false;
  };
  graph.nodes[static_cast<size_t>(source)].fail = 500;
  while (first_fails()) ++graph.seed;
  holds(graph);
}

TEST_CASE("an unordered firing that began to emit is emitted on every edge before the next") {
  CaseBuilder b(1, 2);
  const int filter = b.filter(b.source({9, 0, 7}), 300);
  b.at(filter).any = true;
  b.graph().any = true;
  holds(b.build(b.zip({filter, filter})));
}

TEST_CASE("a closed memory budget lets one firing in, also after the consumer stopped") {
  CaseBuilder b;
  const int source = b.source({6, 6, 6});
  b.sink(b.map(source));
  b.graph().memory_bytes = 1;
  b.graph().stop_after = 2;
  holds(b.build(source));
}

TEST_CASE("memory of a bounded pool is taken in dispatch order") {
  CaseBuilder b(1, 8);
  const int map = b.map(b.source({20, 0, 9}));
  b.at(map).pool = 2;
  holds(b.build(map));
}

TEST_CASE("expansion in chunks into groups") {
  for (int cycle : {1, 2, 4}) {
    CaseBuilder b(1, 2);
    holds(b.build(b.collate(b.expand(b.source({5, 0, 4}), cycle, 3), 4)));
  }
}

TEST_CASE("a zip of batches compares every sample, not the first alone") {
  CaseBuilder b;
  const int source = b.source({6, 6, 6});
  const int other = b.source({6, 6, 6});
  const int filter = b.filter(other, 300);
  GraphCase graph = b.build(b.zip({b.collate(source, 3), b.collate(filter, 3)}));
  const auto only_second_drops = [&] {
    for (uint64_t i = 0; i < 3; ++i) {
      Origin origin;
      origin.position = i;
      if (body_drops(graph, filter, key_of(origin)) != (i == 1)) return false;
    }
    return true;
  };
  while (!only_second_drops()) ++graph.seed;
  REQUIRE(evaluate(graph).error);
  holds(graph);
}

TEST_CASE("an error of a zip names the sample of its first input") {
  CaseBuilder b;
  const int left = b.expand(b.source({3, 3, 3}), 1, 2);
  GraphCase graph = b.build(b.zip({left, b.source({4, 4, 4})}));
  const auto children = [&](uint64_t position) {
    Origin origin;
    origin.position = position;
    return child_count(graph, left, key_of(origin));
  };
  while (children(0) != 0 || children(1) == 0) ++graph.seed;
  REQUIRE(evaluate(graph).error->origin.position == 1);
  holds(graph);
}

TEST_CASE("state is reset by the next epoch's first firing, not before an old one ran") {
  for (int sizes : {2, 3, 5}) {
    CaseBuilder b(1, 2);
    const int state = b.state(b.map(b.source({sizes, sizes, sizes})));
    holds(b.build(b.take(state, 1)), 100);
  }
}

TEST_CASE("an epoch that is not wanted any more is left only when no generator runs") {
  CaseBuilder b(1, 2);
  GraphCase graph = b.build(b.take(b.expand(b.source({4, 4, 4}), 2, 1), 1));
  for (int i = 0; i < 5; ++i) {
    graph.seed = static_cast<uint64_t>(i);
    holds(graph, 60);
  }
}

TEST_CASE("a branch of empty epochs without end comes to rest, so that a closed budget opens") {
  CaseBuilder b(1, 1);
  const int read = b.map(b.source({3, 2}));
  b.sink(b.source({0}));
  b.sink(b.take(b.source({1}), 1));
  GraphCase graph = b.build(read);
  graph.stop = Stop::kEndless;
  graph.stop_after = 40;
  graph.memory_bytes = 1;
  holds(graph, 3);
}

TEST_CASE("a take says that its epoch is over while a generator behind it still runs") {
  CaseBuilder b(1, 2);
  const int expand = b.expand(b.source({2, 2, 2}), 2, 1);
  GraphCase graph = b.build(b.take(expand, 1));
  const auto children = [&](uint64_t position, uint32_t epoch) {
    Origin origin;
    origin.position = position;
    origin.epoch = epoch;
    return child_count(graph, expand, key_of(origin));
  };
  while (children(0, 0) < 1 || children(1, 0) < 1 || children(0, 1) < 1) ++graph.seed;
  graph.nodes[static_cast<size_t>(expand)].blocking = true;  // two threads, whatever the machine
  World world(graph);
  Gate gate;
  world.on_body = [&](int node, const Origin& origin) {
    if (node != expand || origin.epoch != 0) return;
    if (origin.position == 0) gate.wait_for_arrivals(1);
    if (origin.position == 1) gate.pass();
  };
  RunOptions options;
  options.threads = 4;
  const auto run = RunImpl::start(world.plan(), options);
  const std::chrono::seconds limit(60);
  CHECK(run->next(limit).kind == Next::Kind::kBatch);
  CHECK(run->next(limit).kind == Next::Kind::kEpochEnd);
  gate.open();
  const Next next = run->next(limit);
  REQUIRE(next.kind == Next::Kind::kBatch);
  CHECK(next.batch.epoch() == 1);
}

}  // namespace
}  // namespace penstock::testing
