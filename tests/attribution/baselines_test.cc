// The simpler rules, each on a table that it answers differently from the others.

#include <doctest/doctest.h>

#include "attribution/observation.h"
#include "diagnose/tables.h"

namespace penstock::bench::attribution {
namespace {

TEST_CASE("each rule names what it measures") {
  Costs costs = testing::costs_of({.nodes = {{.id = "read", .slots = 8, .off_ms = 20},
                                             {.id = "decode", .slots = 2, .visits = 3, .off_ms = 3},
                                             {.id = "crop", .slots = 4, .visits = 4, .cpu_ms = 2},
                                             {.id = "batch", .slots = 1, .cpu_ms = 1}},
                                   .consumer_cpu_ms = 1});
  GraphFacts graph;
  for (const NodeCosts& node : costs.nodes) graph.units.push_back(node.facts);
  graph.edges = costs.edges;
  Snapshot begin, end;
  end.units.resize(4);
  begin.edges.resize(4);
  end.edges.resize(4);
  end.units[3].service.add(90'000'000);  // one very slow batch
  const double filled[] = {7, 6, 1, 0};  // of 8, behind each node
  for (size_t e = 0; e < 4; ++e) {
    begin.edges[e].capacity = end.edges[e].capacity = 8;
    end.edges[e].now = 1000;
    end.edges[e].occupancy_ns = static_cast<int64_t>(filled[e] * 1000);
  }
  const auto named = [&] { return baselines(graph, costs, begin, end); };
  CHECK(named()["longest_time"] == "read");   // 20 ms
  CHECK(named()["busy"] == "decode");         // 4.5 ms a batch and slot; read has 2.5
  CHECK(named()["cpu_rate"] == "crop");       // 2 ms of CPU a batch and slot
  CHECK(named()["occupancy"] == "crop");      // from 6 to 1
  CHECK(named()["slowest_call"] == "batch");  // 90 ms
  CHECK(named()["wait_fraction"] == "consumer");
  costs.consumer.wait_ms = 5;
  CHECK(named()["wait_fraction"] == "read");  // 20 ms for a batch
}

}  // namespace
}  // namespace penstock::bench::attribution
