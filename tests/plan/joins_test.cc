// The plan finds nodes on undirected cycles by biconnected components. Here the same is asked in
// another way: an in-edge and an out-edge of a node lie on a common cycle exactly when their other
// ends stay connected once the node is taken away (or are one node).
#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "support/plain_operators.h"
#include "support/plan_builder.h"

namespace penstock {
namespace {

struct RandomGraph {
  PlanBuilder builder;
  std::vector<std::vector<int>> inputs;  ///< of each node
  std::vector<bool> counts;              ///< the node changes the number of items
};

std::string id(size_t node) { return "n" + std::to_string(node); }

RandomGraph random_graph(uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto draw = [&](size_t n) { return static_cast<int>(random() % n); };
  RandomGraph graph;
  const size_t size = 4 + random() % 9;
  std::set<int> unused;
  for (size_t v = 0; v < size; ++v) {
    std::vector<int> inputs;
    const int kind = v == 0 ? 0 : draw(6);
    if (kind > 0) inputs.push_back(draw(v));
    if (kind > 3) inputs.push_back(draw(v));
    static constexpr const char* kOps[] = {"numbers", "pass", "fan", "odd", "turns", "turns"};
    graph.builder.node(id(v), kOps[kind]);
    std::vector<std::string> from;
    for (const int input : inputs) {
      from.push_back(id(static_cast<size_t>(input)));
      unused.erase(input);
    }
    if (!from.empty()) graph.builder.from(from);
    graph.inputs.push_back(inputs);
    graph.counts.push_back(kind == 2 || kind > 3);
    unused.insert(static_cast<int>(v));
  }
  graph.builder.consumer(id(size - 1));
  unused.erase(static_cast<int>(size - 1));
  for (const int node : unused) {
    graph.builder.node("sink" + std::to_string(node), "swallow")
        .from({id(static_cast<size_t>(node))});
  }
  return graph;
}

/// Nodes that are connected with `start` when `without` is taken away.
std::set<int> connected(const RandomGraph& graph, int start, int without) {
  std::set<int> seen = {start};
  std::vector<int> todo = {start};
  const auto visit = [&](int node) {
    if (node != without && seen.insert(node).second) todo.push_back(node);
  };
  while (!todo.empty()) {
    const int v = todo.back();
    todo.pop_back();
    for (size_t w = 0; w < graph.inputs.size(); ++w) {
      for (const int input : graph.inputs[w]) {
        if (static_cast<int>(w) == v) visit(input);
        if (input == v) visit(static_cast<int>(w));
      }
    }
  }
  return seen;
}

std::set<std::string> expected_complaints(const RandomGraph& graph) {
  std::set<std::string> result;
  for (size_t v = 0; v < graph.inputs.size(); ++v) {
    if (!graph.counts[v]) continue;
    for (const int input : graph.inputs[v]) {
      const std::set<int> there = connected(graph, input, static_cast<int>(v));
      for (size_t w = v + 1; w < graph.inputs.size(); ++w) {
        const auto& inputs = graph.inputs[w];
        const bool reader = std::count(inputs.begin(), inputs.end(), static_cast<int>(v)) > 0;
        if (reader && there.count(static_cast<int>(w)) > 0) result.insert(id(v));
      }
    }
  }
  return result;
}

TEST_CASE("a node that changes the count is refused on every undirected cycle, and nowhere else") {
  const Registry registry = plain_registry();
  int refused = 0, accepted = 0;
  for (uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    const RandomGraph graph = random_graph(seed);
    std::vector<Diagnostic> diagnostics;
    make_plan(graph.builder.spec(), registry, &diagnostics);
    std::set<std::string> found;
    for (const Diagnostic& diagnostic : diagnostics) {
      if (diagnostic.code == "too-deep") continue;
      CAPTURE(diagnostic.message);
      REQUIRE(diagnostic.code == "join-count");
      found.insert(diagnostic.message.substr(1, diagnostic.message.find('\'', 1) - 1));
    }
    REQUIRE(found == expected_complaints(graph));
    ++(found.empty() ? accepted : refused);
  }
  CHECK(refused > 300);
  CHECK(accepted > 300);
}

}  // namespace
}  // namespace penstock
