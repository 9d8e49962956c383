#include "diagnose/what_if.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "diagnose/simulate.h"
#include "diagnose/words.h"

namespace penstock {
namespace {

constexpr double kLeastHeld = 0.05;  // of a firing's time, before order is tried
constexpr double kLeastLoad = 0.3;   // of its slots, before more or faster ones are tried
constexpr double kLeastCpu = 0.05;   // of all CPU
constexpr double kNear = 0.05;       // of the best gain by few replicates, to be looked at closer
constexpr int kFewReplicates = 3;
constexpr double kThreadsPart = 0.95;  // of the best gain, for threads to be the cause
constexpr double kSlotsPart = 0.5;     // of the gain of a faster body, for slots to be the limit

/// The node's id; "consumer" for the consumer.
std::string name_of(const Costs& costs, int node) {
  const auto index = static_cast<size_t>(node);
  return index < costs.nodes.size() ? costs.nodes[index].facts.id : "consumer";
}

/// Whether a way that does not pass the node joins what lies before it with what lies behind it: a
/// branch between a fan-out and a join, whose results the plan does not let out of turn.
bool in_branch(const Costs& costs, size_t node) {
  std::vector<bool> before(costs.nodes.size() + 1, false);
  for (const EdgeFacts& edge : costs.edges) {
    if (static_cast<size_t>(edge.to) == node) before[static_cast<size_t>(edge.from)] = true;
  }
  for (size_t round = 0; round < before.size(); ++round) {
    for (const EdgeFacts& edge : costs.edges) {
      const auto from = static_cast<size_t>(edge.from), to = static_cast<size_t>(edge.to);
      if (from == node || to == node) continue;
      if (before[from] || before[to]) before[from] = before[to] = true;
    }
  }
  return std::any_of(costs.edges.begin(), costs.edges.end(), [&](const EdgeFacts& edge) {
    return static_cast<size_t>(edge.from) == node && before[static_cast<size_t>(edge.to)];
  });
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

WhatIf faster(const Costs& costs, size_t node) {
  const NodeCosts& of = costs.nodes[node];
  Change change = with_faster_node(costs, node);
  // Not a setting: what an operator's author can do.
  return {"node", {of.facts.id}, std::move(change), {}};
}

/// Share of the slots' time that bodies need.
double load_of(const Costs& costs, const NodeCosts& node) {
  return costs.batches_per_s / 1e3 * node.visits * node.service_ms() / node.facts.slots;
}

void add_node(const Costs& costs, size_t node, std::vector<WhatIf>* list) {
  const NodeCosts& of = costs.nodes[node];
  if (of.copy_ms > 0) {
    list->push_back({"device", {of.facts.id}, with_less_to_copy(costs, node), {}});
  }
  if (!of.facts.places_key.empty()) {
    list->push_back({"device", {of.facts.id}, with_places(costs, node, 2 * of.facts.places), {}});
  }
  const bool computes = of.visits * of.cpu_ms > kLeastCpu * costs.cpu_per_batch();
  if (of.visits * of.service_ms() <= 0) return;
  if (of.facts.ordered && !of.facts.in_turns && of.facts.slots > 1 &&
      of.held_ms > kLeastHeld * of.service_ms() && !in_branch(costs, node)) {
    list->push_back(unordered(costs, node));
  }
  if (load_of(costs, of) < kLeastLoad && !computes && !of.facts.pooled) return;
  list->push_back(faster(costs, node));
  if (of.facts.serial || load_of(costs, of) < kLeastLoad) return;
  list->push_back({"node", {of.facts.id}, with_slots(costs, node, 2 * of.facts.slots), {}});
}

std::vector<WhatIf> candidates(const Costs& costs) {
  std::vector<WhatIf> list;
  for (size_t n = 0; n < costs.nodes.size(); ++n) add_node(costs, n, &list);
  for (size_t e = 0; e < costs.edges.size(); ++e) list.push_back(deeper(costs, e));
  list.push_back({"threads", {}, with_threads(costs, 2 * costs.threads), {}});
  if (costs.consumer.service_ms() > 0) {
    list.push_back({"consumer", {"consumer"}, with_faster_consumer(costs), {}});
  }
  return list;
}

void sort(std::vector<WhatIf>* list) {
  std::stable_sort(list->begin(), list->end(),
                   [](const WhatIf& a, const WhatIf& b) { return a.gain.value > b.gain.value; });
}

bool is_setting(const WhatIf& what) { return !what.change.set.empty(); }

bool same_nodes(const WhatIf& a, const WhatIf& b) {
  return a.limit == b.limit && a.nodes == b.nodes;
}

/// Whether both want the same to be worked on: more slots and a faster body are one answer.
bool is_same_answer(const WhatIf& a, const WhatIf& b) {
  return a.nodes == b.nodes && (a.limit == "order") == (b.limit == "order") &&
         (a.limit == "variance") == (b.limit == "variance") &&
         (a.limit == "threads") == (b.limit == "threads");
}

/// Of a node that should be faster: its slots where they do, else the CPU where it needs most.
void name_resources(const Costs& costs, std::vector<WhatIf>* list) {
  const std::vector<words::Demand> demands = words::cpu_demands(costs);
  for (WhatIf& what : *list) {
    if (is_setting(what) || demands.empty() || what.limit != "node") continue;
    const NodeCosts& node = *costs.find(what.nodes.front());
    if (node.facts.serial || node.cpu_ms < node.off_ms) continue;
    const bool slots_help = std::any_of(list->begin(), list->end(), [&what](const WhatIf& other) {
      return is_setting(other) && same_nodes(other, what) &&
             other.gain.value - 1 >= kSlotsPart * (what.gain.value - 1);
    });
    if (!slots_help && what.nodes.front() == demands.front().name) what.limit = "cpu";
  }
}

}  // namespace

std::vector<WhatIf> what_ifs(const Costs& costs, const std::vector<double>& rates) {
  std::vector<WhatIf> list = candidates(costs);
  const std::vector<double> few(rates.begin(), rates.begin() + kFewReplicates);
  for (WhatIf& what : list) what.gain = simulated_gain(few, what.change.costs);
  sort(&list);
  const double near = list.empty() ? 0 : list.front().gain.value - kNear;
  for (WhatIf& what : list) {
    if (what.gain.value >= near) what.gain = simulated_gain(rates, what.change.costs);
  }
  sort(&list);
  name_resources(costs, &list);
  return list;
}

const WhatIf& choose(const std::vector<WhatIf>& list) {
  const WhatIf& best = list.front();
  const auto brings = [&best](const WhatIf& what, double part) {
    return what.gain.value - 1 >= part * (best.gain.value - 1);
  };
  for (const WhatIf& what : list) {
    if (what.limit == "threads" && brings(what, kThreadsPart)) return what;
  }
  if (is_setting(best) || best.limit != "node") return best;
  for (const WhatIf& what : list) {
    if (is_setting(what) && same_nodes(what, best) && brings(what, kSlotsPart)) return what;
  }
  return best;
}

double lead_of(const WhatIf& chosen, const std::vector<WhatIf>& list) {
  double best = chosen.gain.value;
  std::optional<double> other;
  for (const WhatIf& what : list) {
    if (is_same_answer(what, chosen)) {
      best = std::max(best, what.gain.value);
    } else if (!other) {
      other = what.gain.value;
    }
  }
  return other ? best - *other : best - 1;
}

}  // namespace penstock
