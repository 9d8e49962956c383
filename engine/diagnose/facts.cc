#include "diagnose/facts.h"

#include <algorithm>

namespace penstock {
namespace {

UnitFacts facts_of(const Plan& plan, const PlanUnit& unit) {
  const PlanNode& first = plan.nodes()[static_cast<size_t>(unit.nodes.front())];
  const PlanNode& last = plan.nodes()[static_cast<size_t>(unit.nodes.back())];
  UnitFacts facts;
  facts.id = first.id;
  facts.op = first.op;
  facts.slots = first.concurrency;
  facts.pooled = first.where == Where::kCpu;
  facts.serial = first.state == State::kSerial || first.kind == Kind::kTake;
  facts.ordered = last.order == Order::kPreserve;
  facts.in_turns = first.kind == Kind::kExpand;
  facts.places = static_cast<int>(last.output_pool);
  if (facts.places > 0 && last.params.has("slots")) {
    facts.places_key = "nodes." + last.id + ".params.slots";
  }
  facts.in_edges = first.in_edges;
  facts.out_edges = last.out_edges;
  return facts;
}

}  // namespace

GraphFacts facts_of(const Plan& plan) {
  GraphFacts graph;
  std::vector<int> unit_of(plan.nodes().size(), 0);
  for (const PlanUnit& unit : plan.units()) {
    for (const int node : unit.nodes) {
      unit_of[static_cast<size_t>(node)] = static_cast<int>(graph.units.size());
    }
    graph.units.push_back(facts_of(plan, unit));
  }
  const int consumer = static_cast<int>(graph.units.size());
  for (const PlanEdge& edge : plan.edges()) {
    const auto to = static_cast<size_t>(edge.to);
    graph.edges.push_back({unit_of[static_cast<size_t>(edge.from)],
                           to < unit_of.size() ? unit_of[to] : consumer, edge.capacity});
  }
  const ConsumerSpec& consumer_spec = plan.consumer();
  if (consumer_spec.spin_ns > 0) graph.consumer_key = "consumer.spin";
  if (consumer_spec.sleep_ns > 0) graph.consumer_key = "consumer.sleep";
  graph.consumer_target_ms =
      static_cast<double>(std::max(consumer_spec.spin_ns, consumer_spec.sleep_ns)) / 1e6;
  return graph;
}

MachineFacts machine_facts(size_t cpus, std::optional<double> quota, int threads, bool serial) {
  MachineFacts facts;
  facts.cpus = std::max(1.0, static_cast<double>(cpus));
  if (quota) facts.cpus = std::min(facts.cpus, *quota);
  facts.threads = std::max(1, threads);
  facts.serial = serial;
  return facts;
}

}  // namespace penstock
