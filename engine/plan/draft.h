#pragma once
/// A plan in the making: each function below is one pass over it and adds what it finds wrong. A
/// node that failed is left alone by later passes, so that one mistake gives one message.

#include <string>
#include <vector>

#include "plan/complaints.h"
#include "plan/plan.h"

namespace penstock {

struct Draft {
  const GraphSpec& spec;
  const Registry& registry;
  Complaints say;
  std::vector<PlanNode> nodes;           ///< as spec.nodes
  std::vector<const Schema*> schemas;    ///< null: the operator is not known
  std::vector<bool> failed;              ///< nothing more can be said about this node
  std::vector<std::string> param_texts;  ///< canonical, for the fingerprint
  std::vector<PlanEdge> edges;
  std::vector<int> order;         ///< nodes, inputs first; without those on or behind a cycle
  std::vector<bool> gives_batch;  ///< the node's output is (or may be) a batch
  int consumer_edge = -1;

  const NodeSpec& written(int node) const { return spec.nodes[static_cast<size_t>(node)]; }
  PlanNode& node(int index) { return nodes[static_cast<size_t>(index)]; }
  const PlanNode& node(int index) const { return nodes[static_cast<size_t>(index)]; }
  const PlanEdge& edge(int index) const { return edges[static_cast<size_t>(index)]; }
  int node_count() const { return static_cast<int>(nodes.size()); }
  bool is_consumer(int index) const { return index == node_count(); }
  /// The id, or "consumer".
  std::string name_of(int index) const { return is_consumer(index) ? "consumer" : node(index).id; }
  void fail(int index) { failed[static_cast<size_t>(index)] = true; }
};

/// True of what was read from a file: there the configuration room has checked what depends on no
/// operator, with better places; the same checks here are for graphs made in C++.
inline bool is_read(const Position& at) { return at.line > 0; }

inline Place place_of(const NodeSpec& node) { return {node.at, node.source_line}; }
inline Place place_of_op(const NodeSpec& node) { return {node.op_at, node.op_line}; }
inline Place place_of(const QueueSpec& queue) { return {queue.at, queue.source_line}; }
inline Place place_of(const Value& value) { return {value.at, value.source_line}; }
/// Of an in-edge; of the node when `from` was left out.
Place place_of_from(const NodeSpec& node, size_t port);
/// True when its output need not have the order of its input.
bool reorders(const PlanNode& node);

/// Ids, operators, parameters, concurrency, error policies.
void resolve_nodes(Draft* draft);
/// Edges, the consumer, cycles, nodes whose output nobody takes, the order of the nodes.
void link_nodes(Draft* draft);
/// Builds the prototypes and infers fields; join tables of zips.
void infer_fields(Draft* draft);
/// engine.md section 3: what may not lie on an undirected cycle.
void check_joins(Draft* draft);
/// Samples and batches, depth of child paths, `order: any` before order-sensitive nodes.
void check_streams(Draft* draft);
/// Capacities.
void size_queues(Draft* draft);
/// Tells the memory of nodes' outputs how many items there is room for.
void size_memories(Draft* draft);
/// 16 hex digits over what determines the batches.
std::string fingerprint_of(const Draft& draft);

}  // namespace penstock
