#include <algorithm>
#include <utility>

#include "support/random_graph.h"

namespace penstock::testing {
namespace {

using Candidates = std::vector<GraphCase>;

/// Removes a node; those that read it read its first input instead. False: there is none.
bool remove_node(GraphCase* graph, int removed) {
  const CaseNode& node = graph->nodes[static_cast<size_t>(removed)];
  const bool read = fan_out(*graph)[static_cast<size_t>(removed)] > 0;
  if (read && node.from.empty()) return false;
  const int instead = node.from.empty() ? -1 : node.from.front();
  const auto renumber = [&](int index) {
    if (index == removed) index = instead;
    return index > removed ? index - 1 : index;
  };
  graph->consumer = renumber(graph->consumer);
  for (CaseNode& other : graph->nodes) {
    for (int& from : other.from) from = renumber(from);
  }
  graph->nodes.erase(graph->nodes.begin() + removed);
  return true;
}

/// Nodes whose output nobody reads go.
void drop_unread(GraphCase* graph) {
  for (int i = static_cast<int>(graph->nodes.size()) - 1; i >= 0; --i) {
    const bool sink = graph->nodes[static_cast<size_t>(i)].step == Step::kSink;
    if (!sink && fan_out(*graph)[static_cast<size_t>(i)] == 0) remove_node(graph, i);
  }
}

void fewer_nodes(const GraphCase& graph, Candidates* out) {
  for (int i = static_cast<int>(graph.nodes.size()) - 1; i >= 0; --i) {
    GraphCase smaller = graph;
    if (!remove_node(&smaller, i)) continue;
    drop_unread(&smaller);
    out->push_back(std::move(smaller));
    const size_t inputs = graph.nodes[static_cast<size_t>(i)].from.size();
    for (size_t j = 0; inputs > 2 && j < inputs; ++j) {
      smaller = graph;
      auto& from = smaller.nodes[static_cast<size_t>(i)].from;
      from.erase(from.begin() + static_cast<std::ptrdiff_t>(j));
      drop_unread(&smaller);
      out->push_back(std::move(smaller));
    }
  }
}

template <typename Change>
void simpler_node(const GraphCase& graph, size_t node, const Change& change, Candidates* out) {
  GraphCase simpler = graph;
  if (change(simpler.nodes[node])) out->push_back(std::move(simpler));
}

template <typename T>
bool put(T& field, T value) {
  return std::exchange(field, value) != value;
}

void simpler_nodes(const GraphCase& graph, Candidates* out) {
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto simplify = [&](auto change) { simpler_node(graph, i, change, out); };
    simplify([](CaseNode& node) { return put(node.fail, 0); });
    simplify([](CaseNode& node) { return put(node.drop, 0); });
    simplify([](CaseNode& node) { return put(node.pool, 0); });
    simplify([](CaseNode& node) { return put(node.blocking, false); });
    simplify([](CaseNode& node) { return put(node.per_slot, false); });
    simplify([](CaseNode& node) { return put(node.capacity_bytes, 0); });
    simplify([](CaseNode& node) { return put(node.concurrency, 1); });
    simplify([](CaseNode& node) { return put(node.concurrency, std::min(node.concurrency, 2)); });
    simplify([](CaseNode& node) { return put(node.capacity, 1); });
    simplify([](CaseNode& node) { return put(node.batch, 1); });
    for (size_t epoch = 0; epoch < graph.nodes[i].sizes.size(); ++epoch) {
      simplify([&](CaseNode& node) { return put(node.sizes[epoch], node.sizes[epoch] / 2); });
      simplify([&](CaseNode& node) {
        return put(node.sizes[epoch], std::max(0, node.sizes[epoch] - 1));
      });
    }
  }
}

void simpler_run(const GraphCase& graph, Candidates* out) {
  const auto simplify = [&](auto change) {
    GraphCase simpler = graph;
    if (change(simpler)) out->push_back(std::move(simpler));
  };
  simplify([](GraphCase& g) { return put<uint64_t>(g.memory_bytes, 0); });
  simplify([](GraphCase& g) { return put<int64_t>(g.stop_after, -1); });
  simplify([](GraphCase& g) { return put(g.consumer_bytes, 0); });
  simplify([](GraphCase& g) { return put(g.consumer_capacity, 1); });
  simplify([](GraphCase& g) { return put(g.epochs, std::max(1u, g.epochs - 1)); });
}

}  // namespace

GraphCase minimise(GraphCase graph, const std::function<bool(const GraphCase&)>& fails) {
  for (bool smaller = true; smaller;) {
    smaller = false;
    Candidates candidates;
    fewer_nodes(graph, &candidates);
    simpler_run(graph, &candidates);
    simpler_nodes(graph, &candidates);
    for (GraphCase& candidate : candidates) {
      if (candidate.nodes.empty() || !fails(candidate)) continue;
      graph = std::move(candidate);
      smaller = true;
      break;
    }
  }
  return graph;
}

}  // namespace penstock::testing
