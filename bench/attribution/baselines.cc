#include <algorithm>
#include <functional>
#include <string>

#include "attribution/observation.h"

namespace penstock::bench::attribution {
namespace {

/// One entry for each node and one for the consumer, which comes last.
using Scores = std::vector<double>;

Scores scores(const Costs& costs, const std::function<double(const NodeCosts&)>& of_node,
              double of_consumer) {
  Scores list;
  for (const NodeCosts& node : costs.nodes) list.push_back(of_node(node));
  list.push_back(of_consumer);
  return list;
}

std::string largest(const Costs& costs, const Scores& list) {
  const auto best = static_cast<size_t>(std::max_element(list.begin(), list.end()) - list.begin());
  return best < costs.nodes.size() ? costs.nodes[best].facts.id : "consumer";
}

double wall_ms(const NodeCosts& node) { return node.service_ms() + node.queued_ms; }

/// Mean content of an edge in the window, as a part of its capacity.
double filling(const EdgeSnapshot& begin, const EdgeSnapshot& end) {
  const auto window = static_cast<double>(end.now - begin.now);
  if (window <= 0 || end.capacity == 0) return 0;
  return static_cast<double>(end.occupancy_ns - begin.occupancy_ns) / window /
         static_cast<double>(end.capacity);
}

/// How much fuller the edges into each node are than those out of it. What feeds a source is
/// always full, what takes from the consumer always empty.
Scores falls(const GraphFacts& graph, const Snapshot& begin, const Snapshot& end) {
  const size_t consumer = graph.units.size();
  std::vector<double> in(consumer + 1, 0), out(consumer + 1, 0);
  std::vector<double> ins(consumer + 1, 0), outs(consumer + 1, 0);
  for (size_t e = 0; e < graph.edges.size() && e < end.edges.size(); ++e) {
    const double full = filling(begin.edges[e], end.edges[e]);
    const auto from = static_cast<size_t>(graph.edges[e].from);
    const auto to = static_cast<size_t>(graph.edges[e].to);
    out[from] += full;
    ++outs[from];
    in[to] += full;
    ++ins[to];
  }
  Scores list;
  for (size_t n = 0; n <= consumer; ++n) {
    const double before = ins[n] > 0 ? in[n] / ins[n] : 1;
    const double behind = outs[n] > 0 ? out[n] / outs[n] : 0;
    list.push_back(before - behind);
  }
  return list;
}

Scores slowest_calls(const GraphFacts& graph, const Snapshot& end) {
  Scores list;
  for (size_t n = 0; n < graph.units.size(); ++n) {
    list.push_back(static_cast<double>(end.units[n].service.max()));
  }
  list.push_back(static_cast<double>(end.consumer.work.max()));
  return list;
}

}  // namespace

nlohmann::ordered_json baselines(const GraphFacts& graph, const Costs& costs, const Snapshot& begin,
                                 const Snapshot& end) {
  const ConsumerCosts& consumer = costs.consumer;
  const auto named = [&](const std::function<double(const NodeCosts&)>& score, double last) {
    return largest(costs, scores(costs, score, last));
  };
  const auto for_a_batch = [](const NodeCosts& node) { return node.visits * wall_ms(node); };
  const bool waits = consumer.wait_ms >= consumer.work_ms();
  return {{"longest_time", named(wall_ms, consumer.work_ms())},
          {"busy", named([&](const auto& n) { return for_a_batch(n) / n.facts.slots; },
                         consumer.work_ms())},
          {"cpu_rate",
           named([](const auto& n) { return n.cpu_per_batch() / n.facts.slots; }, consumer.cpu_ms)},
          {"occupancy", largest(costs, falls(graph, begin, end))},
          {"slowest_call", largest(costs, slowest_calls(graph, end))},
          {"wait_fraction", waits ? named(for_a_batch, 0) : "consumer"}};
}

}  // namespace penstock::bench::attribution
