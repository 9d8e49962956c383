#include "support/graph_case.h"

#include <algorithm>
#include <sstream>

namespace penstock::testing {
namespace {

/// True for about `permille` of the keys.
bool hit(uint64_t seed, uint64_t salt, uint64_t key, int permille) {
  return static_cast<int>(scramble(scramble(seed, salt), key) % 1000) < permille;
}

std::pair<Value, Value> param(const std::string& name, int64_t value) {
  return {Value::scalar(name), Value::scalar(std::to_string(value))};
}

std::string op_of(const CaseNode& node) {
  std::string op = std::string("case_") + name_of(node.step);
  if (node.per_slot) op += "_slot";
  if (node.blocking) op += "_io";
  return op;
}

NodeSpec to_node(const GraphCase& graph, int index) {
  const CaseNode& node = graph.nodes[static_cast<size_t>(index)];
  NodeSpec spec;
  spec.id = id_of(graph, index);
  spec.op = op_of(node);
  spec.from_given = node.step != Step::kSource;
  for (size_t i = 0; i < node.from.size(); ++i) {
    FromSpec from;
    from.node = id_of(graph, node.from[i]);
    if (node.step == Step::kZip && i > 0) {
      // The first input's fields keep their names; of the others only the value travels.
      from.field = "v";
      from.name = "r" + std::to_string(i);
    }
    spec.from.push_back(std::move(from));
  }
  spec.params.push_back(param("node", index));
  if (node.step == Step::kExpand) {
    spec.params.push_back(param("cycle", node.cycle));
    spec.params.push_back(param("chunk", node.chunk));
  }
  spec.concurrency = node.concurrency;
  spec.order = node.any ? Order::kAny : Order::kPreserve;
  if (node.step != Step::kSource) {
    spec.queue.items = static_cast<uint64_t>(node.capacity);
    if (node.capacity_bytes > 0) spec.queue.bytes = static_cast<uint64_t>(node.capacity_bytes);
  }
  spec.on_error.skip = node.on_fail != OnFail::kFail;
  if (node.on_fail == OnFail::kMaxCount) {
    spec.on_error.max_count = static_cast<uint64_t>(node.max_count);
  }
  return spec;
}

void describe_edges(const CaseNode& node, std::ostringstream& out) {
  if (node.from.empty()) return;
  out << " <-";
  for (int from : node.from) out << " #" << from;
  out << " (cap " << node.capacity;
  if (node.capacity_bytes > 0) out << ", " << node.capacity_bytes << " bytes";
  out << ")";
}

void describe_node(const CaseNode& node, std::ostringstream& out) {
  out << name_of(node.step) << (node.any ? " any" : "") << (node.blocking ? " io" : "")
      << (node.per_slot ? " per_slot" : "") << " K=" << node.concurrency;
  if (node.step == Step::kSource) {
    out << " sizes=";
    for (size_t i = 0; i < node.sizes.size(); ++i) out << (i ? "," : "") << node.sizes[i];
  }
  if (node.step == Step::kTake) out << " limit=" << node.limit;
  if (node.step == Step::kCollate) out << " batch=" << node.batch;
  if (node.drop_last) out << " drop_last";
  if (node.step == Step::kExpand) out << " cycle=" << node.cycle << " chunk=" << node.chunk;
  if (node.pool > 0) out << " pool=" << node.pool;
  if (node.drop > 0) out << " drop=" << node.drop;
  if (node.fail > 0) {
    out << " fail=" << node.fail;
    if (node.on_fail == OnFail::kFail) out << "/fail";
    if (node.on_fail == OnFail::kSkip) out << "/skip";
    if (node.on_fail == OnFail::kMaxCount) out << "/max_count=" << node.max_count;
  }
  describe_edges(node, out);
  out << "\n";
}

}  // namespace

const char* name_of(Step step) {
  static constexpr const char* kNames[] = {"source",  "map", "filter", "state",  "take",
                                           "collate", "zip", "merge",  "expand", "sink"};
  return kNames[static_cast<size_t>(step)];
}

std::string id_of(const GraphCase& graph, int node) {
  return name_of(graph.nodes[static_cast<size_t>(node)].step) + std::to_string(node);
}

GraphSpec to_spec(const GraphCase& graph) {
  GraphSpec spec;
  spec.name = "case";
  spec.seed = graph.seed % 1000000;
  if (graph.memory_bytes > 0) spec.memory_bytes = graph.memory_bytes;
  const bool endless = graph.stop_after >= 0 && graph.stop == Stop::kEndless;
  if (!endless) spec.epochs = graph.epochs;
  if (graph.stop_after >= 0 && graph.stop != Stop::kCall) {
    spec.batches = static_cast<uint64_t>(graph.stop_after);
  }
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    spec.nodes.push_back(to_node(graph, static_cast<int>(i)));
  }
  spec.consumer.from = id_of(graph, graph.consumer);
  spec.consumer.queue.items = static_cast<uint64_t>(graph.consumer_capacity);
  if (graph.consumer_bytes > 0) {
    spec.consumer.queue.bytes = static_cast<uint64_t>(graph.consumer_bytes);
  }
  return spec;
}

std::string describe(const GraphCase& graph) {
  std::ostringstream out;
  out << "graph of seed " << graph.seed << ", " << graph.epochs << " epochs";
  if (graph.stop_after >= 0) {
    static constexpr const char* kStops[] = {"batches", "batches without epochs", "stop()"};
    out << ", stopped after " << graph.stop_after << " by "
        << kStops[static_cast<size_t>(graph.stop)];
  }
  if (graph.memory_bytes > 0) out << ", memory " << graph.memory_bytes;
  out << (graph.any ? ", multisets\n" : "\n");
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    out << "  #" << i << " ";
    describe_node(graph.nodes[i], out);
  }
  out << "  consumer <- #" << graph.consumer << " (cap " << graph.consumer_capacity;
  if (graph.consumer_bytes > 0) out << ", " << graph.consumer_bytes << " bytes";
  out << ")\n";
  return out.str();
}

std::vector<int> fan_out(const GraphCase& graph) {
  std::vector<int> count(graph.nodes.size(), 0);
  for (const CaseNode& node : graph.nodes) {
    for (int from : node.from) ++count[static_cast<size_t>(from)];
  }
  ++count[static_cast<size_t>(graph.consumer)];
  return count;
}

int64_t item_bound(const GraphCase& graph) {
  int64_t bound = graph.consumer_capacity;
  for (const CaseNode& node : graph.nodes) {
    bound += node.capacity * static_cast<int64_t>(node.from.size());
    int64_t width = 1;
    if (node.step == Step::kZip) width = static_cast<int64_t>(node.from.size());
    if (node.step == Step::kCollate) width = node.batch;
    if (node.step == Step::kExpand) width = node.chunk;
    bound += node.concurrency * width;
    if (node.step == Step::kExpand) bound += node.cycle;
  }
  return bound;
}

uint64_t scramble(uint64_t a, uint64_t b) {
  a ^= b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2);
  a = (a ^ (a >> 33)) * 0xff51afd7ed558ccdull;
  a = (a ^ (a >> 29)) * 0xc4ceb9fe1a85ec53ull;
  return a ^ (a >> 32);
}

uint64_t key_of(const Origin& origin) {
  uint64_t key = scramble(scramble(77, origin.epoch), origin.position);
  for (uint32_t i = 0; i < origin.depth; ++i) key = scramble(key, 1000 + origin.child[i]);
  return key;
}

Origin child_of(const Origin& parent, uint32_t index) {
  Origin child = parent;
  child.child[child.depth++] = index;
  return child;
}

bool body_fails(const GraphCase& graph, int node, uint64_t key) {
  const int permille = graph.nodes[static_cast<size_t>(node)].fail;
  return permille > 0 && hit(graph.seed, static_cast<uint64_t>(node) * 977 + 5, key, permille);
}

bool body_drops(const GraphCase& graph, int node, uint64_t key) {
  const int permille = graph.nodes[static_cast<size_t>(node)].drop;
  return permille > 0 && hit(graph.seed, static_cast<uint64_t>(node) * 977 + 6, key, permille);
}

int64_t source_value(int node, uint64_t key) {
  return static_cast<int64_t>(scramble(key, static_cast<uint64_t>(node) + 1));
}

int64_t map_value(int node, int64_t value) {
  return static_cast<int64_t>(
      scramble(static_cast<uint64_t>(value), static_cast<uint64_t>(node) + 1));
}

int64_t zip_value(int64_t left, int64_t right) {
  return static_cast<int64_t>(scramble(static_cast<uint64_t>(left), static_cast<uint64_t>(right)));
}

int64_t state_value(int64_t state, int64_t value) { return zip_value(state, value); }

int child_count(const GraphCase& graph, int node, uint64_t parent_key) {
  const uint64_t salt = static_cast<uint64_t>(node) * 977 + 7;
  return static_cast<int>(scramble(scramble(graph.seed, salt), parent_key) % 6);
}

int64_t child_value(int64_t parent, uint64_t child_key) {
  return static_cast<int64_t>(scramble(static_cast<uint64_t>(parent), child_key));
}

int pad_bytes(const std::vector<int64_t>& values) {
  const int draw = static_cast<int>(static_cast<uint64_t>(values.front()) % 97);
  return draw < 8 ? 60 + draw : 1 + draw % 9;
}

}  // namespace penstock::testing
