#include "diagnose/what_if.h"

#include <fmt/core.h>

#include <algorithm>

#include "diagnose/simulate.h"
#include "diagnose/words.h"

namespace penstock {
namespace {

constexpr double kLeastHeld = 0.05;  // of a firing's time, before order is tried

/// The node's id; "consumer" for the consumer.
std::string name_of(const Costs& costs, int node) {
  const auto index = static_cast<size_t>(node);
  return index < costs.nodes.size() ? costs.nodes[index].facts.id : "consumer";
}

WhatIf unordered(const Costs& costs, size_t node) {
  const std::string& id = costs.nodes[node].facts.id;
  WhatIf what{"order", {id}, {"nodes." + id + ".order=any", id + " had order: any", costs}, {}};
  what.change.costs.nodes[node].facts.ordered = false;
  return what;
}

WhatIf deeper(const Costs& costs, size_t edge) {
  const EdgeFacts& facts = costs.edges[edge];
  const std::string to = name_of(costs, facts.to);
  const uint64_t capacity = 4 * facts.capacity;
  WhatIf what{"variance",
              {to},
              {fmt::format("{}{}.queue.items={}", to == "consumer" ? "" : "nodes.", to, capacity),
               fmt::format("the queue into {} had {} places", to, capacity), costs},
              {}};
  what.change.costs.edges[edge].capacity = capacity;
  return what;
}

void add_node(const Costs& costs, size_t node, std::vector<WhatIf>* list) {
  const NodeCosts& of = costs.nodes[node];
  if (of.visits * of.service_ms() <= 0) return;
  if (of.facts.ordered && of.facts.slots > 1 && of.held_ms > kLeastHeld * of.service_ms()) {
    list->push_back(unordered(costs, node));
  }
  Change change =
      of.facts.serial ? with_faster_node(costs, node) : with_slots(costs, node, 2 * of.facts.slots);
  list->push_back({"node", {of.facts.id}, std::move(change), {}});
}

}  // namespace

std::vector<WhatIf> what_ifs(const Costs& costs) {
  std::vector<WhatIf> list;
  for (size_t n = 0; n < costs.nodes.size(); ++n) add_node(costs, n, &list);
  for (size_t e = 0; e < costs.edges.size(); ++e) list.push_back(deeper(costs, e));
  list.push_back({"threads", {}, with_threads(costs, 2 * costs.threads), {}});
  if (costs.consumer.service_ms() > 0) {
    list.push_back({"consumer", {"consumer"}, with_faster_consumer(costs), {}});
  }
  for (WhatIf& what : list) what.gain = simulated_gain(costs, what.change.costs);
  std::stable_sort(list.begin(), list.end(),
                   [](const WhatIf& a, const WhatIf& b) { return a.gain.value > b.gain.value; });
  return list;
}

}  // namespace penstock
