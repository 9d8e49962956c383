#include "plan/graph_text.h"

#include <doctest/doctest.h>

#include "support/plain_operators.h"
#include "support/plan_builder.h"

namespace penstock {
namespace {

std::shared_ptr<const Plan> diamond() {
  return plan_or_throw(PlanBuilder()
                           .node("read", "numbers")
                           .node("left", "pass")
                           .concurrency(2)
                           .node("right", "text")
                           .from({"read"})
                           .queue(32, 256 << 20)
                           .node("join", "pair")
                           .from({"left", "right.name"})
                           .node("batch", "group")
                           .param("size", 4)
                           .concurrency(2)
                           .any(),
                       plain_registry());
}

TEST_CASE("dot names nodes, operators, slots and capacities") {
  CHECK(graph_dot(*diamond()) == R"(digraph "pipeline" {
  rankdir=LR;
  node [shape=box];
  "read" [label="read\nnumbers"];
  "left" [label="left\npass\n2 slots"];
  "right" [label="right\ntext"];
  "join" [label="join\npair"];
  "batch" [label="batch\ngroup\n2 slots, any order"];
  "consumer" [shape=ellipse];
  "read" -> "left" [label="8"];
  "read" -> "right" [label="32, 256MiB"];
  "left" -> "join" [label="8"];
  "right" -> "join" [label="8"];
  "join" -> "batch" [label="8"];
  "batch" -> "consumer" [label="2"];
}
)");
}

TEST_CASE("mermaid shows the same graph") {
  CHECK(graph_mermaid(*diamond()) == R"(flowchart LR
  n0["read<br/>numbers"]
  n1["left<br/>pass<br/>2 slots"]
  n2["right<br/>text"]
  n3["join<br/>pair"]
  n4["batch<br/>group<br/>2 slots, any order"]
  n5(["consumer"])
  n0 -->|"8"| n1
  n0 -->|"32, 256MiB"| n2
  n1 -->|"8"| n3
  n2 -->|"8"| n3
  n3 -->|"8"| n4
  n4 -->|"2"| n5
)");
}

TEST_CASE("the list of units has one row each, with its edges") {
  const auto plan = diamond();
  CHECK(graph_units(*plan) == "pipeline: plan " + plan->fingerprint() + R"(, seed 0
unit      op       kind     where  slots  order     from (capacity)
read      numbers  source   cpu    1      preserve  -
left      pass     map      cpu    2      preserve  read (8)
right     text     map      cpu    1      preserve  read (32, 256MiB)
join      pair     zip      cpu    1      preserve  left (8), right (8)
batch     group    collate  cpu    2      any       join (8)
consumer  -        -        -      -      -         batch (2)
)");
}

}  // namespace
}  // namespace penstock
