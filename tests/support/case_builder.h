#pragma once
/// Short hand for directed graphs: each function appends a node and returns its index.

#include <utility>
#include <vector>

#include "support/graph_case.h"

namespace penstock::testing {

class CaseBuilder {
 public:
  /// Capacity of every edge and slots of every node, unless changed through at().
  explicit CaseBuilder(int capacity = 1, int concurrency = 1)
      : capacity_(capacity), concurrency_(concurrency) {
    graph_.consumer_capacity = capacity;
  }

  int source(std::vector<int> sizes) {
    const int node = add(Step::kSource, {});
    at(node).sizes = std::move(sizes);
    return node;
  }
  int map(int from) { return add(Step::kMap, {from}); }
  int filter(int from, int drop_permille) {
    const int node = add(Step::kFilter, {from});
    at(node).drop = drop_permille;
    return node;
  }
  int state(int from) {
    const int node = add(Step::kState, {from});
    at(node).concurrency = 1;
    return node;
  }
  int take(int from, int limit) {
    const int node = add(Step::kTake, {from});
    at(node).limit = limit;
    at(node).concurrency = 1;
    return node;
  }
  int collate(int from, int batch, bool drop_last = false) {
    const int node = add(Step::kCollate, {from});
    at(node).batch = batch;
    at(node).drop_last = drop_last;
    return node;
  }
  int zip(std::vector<int> from) { return add(Step::kZip, std::move(from)); }
  int merge(std::vector<int> from) { return add(Step::kMerge, std::move(from)); }
  int expand(int from, int cycle, int chunk) {
    const int node = add(Step::kExpand, {from});
    at(node).cycle = cycle;
    at(node).chunk = chunk;
    return node;
  }
  int sink(int from) { return add(Step::kSink, {from}); }

  CaseNode& at(int node) { return graph_.nodes[static_cast<size_t>(node)]; }
  GraphCase& graph() { return graph_; }
  /// The pipeline whose consumer reads that node.
  GraphCase build(int consumer) {
    graph_.consumer = consumer;
    return graph_;
  }

 private:
  int add(Step step, std::vector<int> from) {
    CaseNode node;
    node.step = step;
    node.from = std::move(from);
    node.capacity = capacity_;
    node.concurrency = concurrency_;
    graph_.nodes.push_back(std::move(node));
    return static_cast<int>(graph_.nodes.size()) - 1;
  }

  GraphCase graph_;
  const int capacity_, concurrency_;
};

}  // namespace penstock::testing
