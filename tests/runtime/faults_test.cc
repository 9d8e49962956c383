// Bodies that throw: anything, anywhere, at the same time; and what the consumer then gets.
#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "penstock/testing.h"
#include "support/case_builder.h"
#include "support/graph_run.h"

namespace penstock::testing {
namespace {

/// A pipeline with a node of each kind that has a body.
GraphCase every_kind(int* zip) {
  CaseBuilder b(2, 2);
  const int source = b.source({12, 12});
  const int left = b.map(source);
  const int right = b.filter(source, 0);
  *zip = b.zip({left, right});
  const int state = b.state(*zip);
  b.sink(state);
  const int expand = b.expand(state, 2, 2);
  return b.build(b.collate(expand, 2));
}

/// What next() throws at last.
ErrorInfo error_of(RunImpl* run) {
  for (;;) {
    try {
      const Next next = run->next(std::chrono::seconds(60));
      if (next.kind == Next::Kind::kEnd || next.kind == Next::Kind::kNotReady) break;
    } catch (const RunError& error) {
      CHECK(run->next(std::chrono::seconds(60)).kind == Next::Kind::kEnd);
      CHECK(run->status() == "failed");
      return error.info();
    }
  }
  FAIL("no error");
  throw std::logic_error("not reached");
}

TEST_CASE("a throw in any body names its node and sample") {
  int zip = 0;
  const GraphCase healthy = every_kind(&zip);
  for (size_t node = 0; node < healthy.nodes.size(); ++node) {
    GraphCase graph = healthy;
    graph.nodes[node].on_fail = OnFail::kFail;
    for (const Mode& mode : all_modes(node, 3)) {
      World world(graph);
      world.on_body = [&](int at, const Origin& origin) {
        if (at == static_cast<int>(node) && origin.position >= 1) {
          throw std::invalid_argument("this is why");
        }
      };
      const ErrorInfo info = error_of(RunImpl::start(world.plan(), mode.options).get());
      CHECK(info.node == id_of(graph, static_cast<int>(node)));
      CHECK(info.message.find("this is why") != std::string::npos);
      // The first in order; a parent may have no child, a batch begins where it begins.
      const Step step = graph.nodes[node].step;
      const bool one_to_one = step != Step::kCollate && step != Step::kExpand;
      if (one_to_one) CHECK(info.origin.position == 1);
      CHECK(world.violations().empty());
    }
  }
}

TEST_CASE("something that is no std::exception becomes an error too") {
  CaseBuilder b(2, 2);
  const int map = b.map(b.source({5}));
  b.at(map).on_fail = OnFail::kFail;
  for (const Mode& mode : all_modes(1, 2)) {
    World world(b.build(map));
    world.on_body = [&](int node, const Origin& origin) {
      if (node == map && origin.position == 3) throw 42;
    };
    const ErrorInfo info = error_of(RunImpl::start(world.plan(), mode.options).get());
    CHECK(info.node == id_of(world.graph, map));
    CHECK(info.origin.position == 3);
    CHECK_FALSE(info.message.empty());
  }
}

TEST_CASE("of two bodies that throw at once the first in order is the error") {
  CaseBuilder b(4, 2);
  const int source = b.source({5});
  const int map = b.map(source);
  b.at(map).on_fail = OnFail::kFail;
  b.at(map).blocking = true;  // two threads, however many CPUs there are
  World world(b.build(map));
  Gate gate;
  world.on_body = [&](int node, const Origin&) {
    if (node != map) return;
    gate.pass();
    throw std::runtime_error("both");
  };
  const auto run = RunImpl::start(world.plan(), {});
  gate.wait_for_arrivals(2);
  gate.open();
  CHECK(error_of(run.get()).origin.position == 0);
}

TEST_CASE("skipped errors are reported, each with its sample") {
  CaseBuilder b(2, 2);
  const int map = b.map(b.source({6}));
  b.graph().epochs = 1;
  World world(b.build(map));
  world.on_body = [&](int node, const Origin& origin) {
    if (node == map && origin.position % 2 == 1) throw std::runtime_error("odd");
  };
  const auto run = RunImpl::start(world.plan(), {});
  int batches = 0;
  for (Next next = run->next(std::chrono::seconds(60)); next.kind != Next::Kind::kEnd;
       next = run->next(std::chrono::seconds(60))) {
    REQUIRE(next.kind != Next::Kind::kNotReady);
    batches += next.kind == Next::Kind::kBatch;
  }
  CHECK(batches == 3);
  CHECK(run->status() == "complete");
  const auto skipped = run->skipped();
  REQUIRE(skipped.size() == 3);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(skipped[i].node == id_of(world.graph, map));
    CHECK(skipped[i].origin.position == 2 * i + 1);
  }
  CHECK(run->snapshot().units[1].skipped == 3);
}

}  // namespace
}  // namespace penstock::testing
