#pragma once
/// Runs as tables of numbers.

#include <string>
#include <utility>
#include <vector>

#include "diagnose/costs.h"
#include "diagnose/verdict.h"

namespace penstock::testing {

/// One row: a node's slots, firings a batch, CPU and other time of a firing in ms.
struct Row {
  std::string id;
  int slots = 1;
  double visits = 1, cpu_ms = 0, off_ms = 0;
  bool pooled = true;
};

/// A chain of nodes and a consumer; `batches_per_s` 0: as fast as the lowest bound.
struct Table {
  std::vector<Row> nodes;
  double consumer_cpu_ms = 0, consumer_off_ms = 0, engine_ms = 0;
  double cpus = 1;
  int threads = 1;
  double examples = 1, batches_per_s = 0;
  bool serial = false;
};

inline Costs costs_of(const Table& table) {
  Costs costs;
  for (const Row& row : table.nodes) {
    NodeCosts node;
    const int index = static_cast<int>(costs.nodes.size());
    node.facts = {.id = row.id, .op = "op", .slots = row.slots, .pooled = row.pooled};
    if (index > 0) node.facts.in_edges = {index - 1};
    node.facts.out_edges = {index};
    node.visits = row.visits;
    node.cpu_ms = row.cpu_ms;
    node.off_ms = row.off_ms;
    node.spread = {1.0};
    node.taken = index > 0 && row.visits > 0 ? costs.nodes.back().visits / row.visits : 1;
    costs.edges.push_back({index, index + 1, 8});
    costs.nodes.push_back(std::move(node));
  }
  costs.consumer.cpu_ms = table.consumer_cpu_ms;
  costs.consumer.off_ms = table.consumer_off_ms;
  costs.engine_ms = table.engine_ms;
  costs.cpus = costs.cpus_allowed = table.cpus;
  costs.threads = table.threads;
  costs.serial = table.serial;
  costs.examples_per_batch = table.examples;
  costs.batches = 100;
  costs.batches_per_s = table.batches_per_s > 0 ? table.batches_per_s : lowest(bounds_of(costs));
  return costs;
}

/// Of a table's four nodes: the first feeds the second and the third, which the last one joins.
inline void make_diamond(Costs* costs) {
  costs->edges = {{0, 1, 4}, {0, 2, 4}, {1, 3, 4}, {2, 3, 4}, {3, 4, 2}};
  costs->nodes[0].facts.out_edges = {0, 1};
  costs->nodes[1].facts.in_edges = {0};
  costs->nodes[1].facts.out_edges = {2};
  costs->nodes[2].facts.in_edges = {1};
  costs->nodes[2].facts.out_edges = {3};
  costs->nodes[3].facts.in_edges = {2, 3};
  costs->nodes[3].facts.out_edges = {4};
}

inline Verdict judge(const Table& table) { return judge(Evidence{.costs = costs_of(table)}); }

}  // namespace penstock::testing
