#include "compare/plan_diff.h"

#include <doctest/doctest.h>

#include <string>

#include "report/comparison_format.h"
#include "support/plain_operators.h"
#include "support/plan_builder.h"

namespace penstock {
namespace {

std::string diff_text(const PlanBuilder& a, const PlanBuilder& b) {
  const Registry registry = plain_registry();
  const PlanDiff difference = diff(*plan_or_throw(a, registry), *plan_or_throw(b, registry));
  const std::string text = format_text(difference);
  CHECK(difference.empty() == text.empty());
  return text;
}

PlanBuilder read() { return PlanBuilder().node("read", "numbers").param("sizes", "[10]"); }

PlanBuilder chain() {
  return read().node("one", "pass").node("two", "odd").node("batch", "group").param("size", 4);
}

TEST_CASE("equal pipelines, and what is only written otherwise, differ in nothing") {
  CHECK(diff_text(chain(), chain()) == "");
  CHECK(diff_text(chain(), read()
                               .node("one", "pass")
                               .param("add", 0)
                               .concurrency(1)
                               .node("two", "odd")
                               .from({"one"})
                               .node("batch", "group")
                               .param("size", 4)) == "");
}

TEST_CASE("nodes that are added or removed move no other") {
  const PlanBuilder shorter = read().node("one", "pass").node("batch", "group").param("size", 4);
  CHECK(diff_text(chain(), shorter) == "  - node two (odd)\n");
  CHECK(diff_text(shorter, chain()) == "  + node two (odd)\n");
}

TEST_CASE("a node at another place has moved") {
  const PlanBuilder swapped =
      read().node("two", "odd").node("one", "pass").node("batch", "group").param("size", 4);
  CHECK(diff_text(chain(), swapped) == "  > node one moved: behind read -> behind two\n");
  const PlanBuilder last =
      read().node("two", "odd").node("batch", "group").param("size", 4).node("one", "pass");
  CHECK(diff_text(chain(), last) == "  > node one moved: behind read -> behind batch\n");
}

TEST_CASE("parameters, slots, order, policies and operators of a node are compared") {
  const PlanBuilder other = read()
                                .node("one", "pass")
                                .param("add", 5)
                                .concurrency(3)
                                .any()
                                .skip(2)
                                .node("two", "pass")
                                .node("batch", "group")
                                .param("size", 8);
  CHECK(diff_text(chain(), other) ==
        "  ~ node one: params.add default -> 5\n"
        "  ~ node one: concurrency 1 -> 3\n"
        "  ~ node one: order preserve -> any\n"
        "  ~ node one: on_error fail -> skip, at most 2\n"
        "  ~ node two: op odd -> pass\n"
        "  ~ node two: params.add - -> default\n"
        "  ~ node two: params.fail_at - -> default\n"
        "  ~ node two: params.time - -> default\n"
        "  ~ node batch: params.size 4 -> 8\n");
}

TEST_CASE("edges are resized, cut and drawn; settings of the whole pipeline change") {
  const PlanBuilder sized = read()
                                .node("one", "pass")
                                .node("two", "odd")
                                .queue(3, 100)
                                .node("batch", "group")
                                .param("size", 4)
                                .seed(7)
                                .threads(2)
                                .memory(5000)
                                .consumer("batch", 5);
  CHECK(diff_text(chain(), sized) ==
        "  ~ edge batch -> consumer: 2 items -> 5 items\n"
        "  ~ edge one -> two: 8 items -> 3 items, 100 bytes\n"
        "  ~ seed 0 -> 7\n"
        "  ~ threads auto -> 2\n"
        "  ~ memory - -> 5000\n");
  const PlanBuilder split = read()
                                .node("left", "pass")
                                .node("right", "pass")
                                .from({"read"})
                                .node("join", "pair")
                                .from_named({{"a", "left"}, {"b", "right"}});
  const PlanBuilder in_line = read()
                                  .node("left", "pass")
                                  .node("right", "pass")
                                  .node("join", "pair")
                                  .from_named({{"a", "left"}, {"b", "right"}});
  CHECK(diff_text(in_line, split) ==
        "  - edge left -> right\n"
        "  + edge read -> right\n");
  const PlanBuilder swapped = read()
                                  .node("left", "pass")
                                  .node("right", "pass")
                                  .from({"read"})
                                  .node("join", "pair")
                                  .from_named({{"a", "right"}, {"b", "left"}});
  CHECK(diff_text(split, swapped) ==
        "  ~ node join: from a: left, b: right -> a: right, b: left\n");
}

TEST_CASE("the fingerprints tell whether the batches are meant to be the same") {
  const Registry registry = plain_registry();
  const auto same = [&](const PlanBuilder& a, const PlanBuilder& b) {
    return diff(*plan_or_throw(a, registry), *plan_or_throw(b, registry)).same_batches;
  };
  CHECK(same(chain(), chain().queue(3)));
  CHECK(!same(chain(), chain().seed(7)));
}

}  // namespace
}  // namespace penstock
