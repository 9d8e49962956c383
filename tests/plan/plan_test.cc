#include "plan/plan.h"

#include <doctest/doctest.h>

#include "support/plain_operators.h"
#include "support/plan_builder.h"

namespace penstock {
namespace {

PlanBuilder chain() {
  return PlanBuilder()
      .node("read", "numbers")
      .param("sizes", "[10, 7]")
      .node("double", "pass")
      .concurrency(2)
      .node("batch", "group")
      .param("size", 4);
}

TEST_CASE("a chain takes its input from the node above and the consumer from the last one") {
  const auto plan = plan_or_throw(chain(), plain_registry());
  REQUIRE(plan->nodes().size() == 3);
  REQUIRE(plan->edges().size() == 3);
  CHECK(plan->edges()[0].from == 0);
  CHECK(plan->edges()[0].to == 1);
  CHECK(plan->consumer_edge() == 2);
  CHECK(plan->edges()[2].to == 3);
  CHECK(plan->nodes()[1].concurrency == 2);
  CHECK(plan->nodes()[2].depth == 2);
  CHECK(plan->nodes()[2].fields.names() == "value");
  CHECK(plan->nodes()[1].params.integer("time") == 0);
  CHECK(plan->units().size() == 3);
}

TEST_CASE("edges that carry samples hold 8, those that carry batches or feed the consumer 2") {
  const auto plan = plan_or_throw(chain().node("after", "pass"), plain_registry());
  CHECK(plan->edges()[0].capacity == 8);
  CHECK(plan->edges()[1].capacity == 8);
  CHECK(plan->edges()[2].capacity == 2);
  CHECK(plan->edges()[3].capacity == 2);
  const auto sized = plan_or_throw(chain().queue(5, 100).consumer("batch", 3), plain_registry());
  CHECK(sized->edges()[1].capacity == 5);
  CHECK(sized->edges()[1].capacity_bytes == 100);
  CHECK(sized->edges()[2].capacity == 3);
}

TEST_CASE("a serial run has one slot and one place everywhere") {
  const auto plan = plan_or_throw(chain().serial(), plain_registry());
  CHECK(plan->nodes()[1].concurrency == 1);
  for (const PlanEdge& edge : plan->edges()) CHECK(edge.capacity == 1);
}

TEST_CASE("batches of an epoch are known where no data decides") {
  const auto size = [](const PlanBuilder& builder, uint32_t epoch) {
    return plan_or_throw(builder, plain_registry())->batches_per_epoch(epoch);
  };
  CHECK(size(chain(), 0) == 3);
  CHECK(size(chain(), 1) == 2);
  CHECK(size(chain().param("drop_last", "true"), 0) == 2);
  CHECK(size(chain().node("few", "first").param("count", 2), 0) == 2);
  CHECK_FALSE(size(chain().node("some", "odd"), 0));
  CHECK_FALSE(size(chain().skip(), 0));
  const auto two = PlanBuilder().node("a", "numbers").node("b", "numbers").param("sizes", "4");
  CHECK(size(PlanBuilder(two).node("j", "turns").from({"a", "b"}), 0) == 14);
  CHECK(size(PlanBuilder(two).node("j", "pair").from_named({{"l", "a"}, {"r", "b"}}), 0) == 4);
}

TEST_CASE("a zip keeps names of a list, and prefixes those of a mapping") {
  PlanBuilder builder;
  builder.node("a", "numbers").node("b", "text").node("j", "pair").from({"a", "b.name"});
  const auto plan = plan_or_throw(builder, plain_registry());
  CHECK(plan->nodes()[2].fields.names() == "value, name");
  CHECK(plan->nodes()[2].join == std::vector<std::vector<int>>{{0}, {-1, 1}});
  builder.node("k", "pair").from_named({{"left", "a"}, {"right", "j"}});
  const auto named = plan_or_throw(builder, plain_registry());
  CHECK(named->nodes()[3].fields.names() == "left.value, right.value, right.name");
}

}  // namespace
}  // namespace penstock
