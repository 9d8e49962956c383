// Second pass: who takes from whom.
#include <algorithm>
#include <set>

#include "plan/draft.h"

namespace penstock {
namespace {

/// Looks nodes up by id and makes edges.
class Linker {
 public:
  explicit Linker(Draft* draft) : draft_(draft) {}

  void link_node(int index) {
    const NodeSpec& spec = draft_->written(index);
    const Kind kind = draft_->node(index).kind;
    if (kind == Kind::kSource) {
      if (!spec.from_given) return;
      draft_->say.error("source-input", "'" + spec.id + "' is a source and takes no 'from'",
                        place_of_from(spec, 0), "its records come from outside the pipeline");
      return spoil(index);
    }
    if (!spec.from_given) return link_above(index);
    check_port_count(index);
    for (size_t port = 0; port < spec.from.size(); ++port) {
      const FromSpec& from = spec.from[port];
      const int source = find(from.node, "'" + spec.id + "'", place_of_from(spec, port));
      if (source < 0) {
        spoil(index);
      } else {
        add_edge(source, index, static_cast<int>(port));
      }
    }
  }

  void link_consumer() {
    const ConsumerSpec& consumer = draft_->spec.consumer;
    const int end = draft_->node_count();
    if (end == 0) return;
    if (!consumer.from.empty()) {
      const int source = find(consumer.from, "the consumer", {consumer.at, consumer.source_line});
      if (source >= 0) add_edge(source, end, 0);
      return;
    }
    if (draft_->node(end - 1).kind == Kind::kSink) {
      draft_->say.error("no-consumer",
                        "the last node, '" + draft_->node(end - 1).id +
                            "', is a sink: it gives the consumer nothing",
                        place_of(draft_->written(end - 1)),
                        "name the node that does: consumer: {from: ...}");
      linked_ = false;
      return;
    }
    add_edge(end - 1, end, 0);
  }

  /// False after a link that could not be made: then nobody knows what else is an orphan.
  bool linked() const { return linked_; }

 private:
  void spoil(int index) {
    draft_->fail(index);
    linked_ = false;
  }

  void link_above(int index) {
    const NodeSpec& spec = draft_->written(index);
    const Kind kind = draft_->node(index).kind;
    const bool known = draft_->schemas[static_cast<size_t>(index)] != nullptr;
    if (!known && (index == 0 || draft_->node(index - 1).kind == Kind::kSink)) return spoil(index);
    if (kind == Kind::kZip || kind == Kind::kMerge) {
      draft_->say.error("missing-from", "'" + spec.id + "' joins several nodes: it needs 'from'",
                        place_of(spec), "write from: [a, b] or from: {left: a, right: b}");
      return spoil(index);
    }
    if (index == 0) {
      draft_->say.error("missing-from",
                        "'" + spec.id + "' is the first node, but " + spec.op + " is no source",
                        place_of(spec), "put a source in front, or name its input with 'from'");
      return spoil(index);
    }
    if (draft_->node(index - 1).kind == Kind::kSink) {
      draft_->say.error("missing-from",
                        "the node above '" + spec.id + "', '" + draft_->node(index - 1).id +
                            "', is a sink and gives nothing",
                        place_of(spec), "name the input with 'from'");
      return spoil(index);
    }
    add_edge(index - 1, index, 0);
  }

  void check_port_count(int index) {
    const NodeSpec& spec = draft_->written(index);
    if (draft_->schemas[static_cast<size_t>(index)] == nullptr) return;
    const Kind kind = draft_->node(index).kind;
    const bool joins = kind == Kind::kZip || kind == Kind::kMerge;
    if (joins && spec.from.size() < 2) {
      draft_->say.error("bad-from",
                        "'" + spec.id + "' joins nodes: it needs at least two in 'from'",
                        place_of_from(spec, 0));
      return spoil(index);
    }
    if (!joins && spec.from.size() != 1) {
      draft_->say.error(
          "bad-from",
          "'" + spec.id + "' takes from one node, not from " + std::to_string(spec.from.size()),
          place_of_from(spec, 1), "join them first with a zip or a merge");
      return spoil(index);
    }
    if (kind == Kind::kZip) return;
    for (size_t port = 0; port < spec.from.size(); ++port) {
      const FromSpec& from = spec.from[port];
      if (from.field.empty() && from.name.empty()) continue;
      draft_->say.error("bad-from",
                        "only a zip chooses or renames fields: '" + spec.id +
                            "' takes whole items of '" + from.node + "'",
                        place_of_from(spec, port), "write from: " + from.node);
      spoil(index);
    }
  }

  int find(const std::string& name, const std::string& taker, const Place& place) {
    std::vector<std::string> ids;
    for (int i = 0; i < draft_->node_count(); ++i) {
      const PlanNode& node = draft_->node(i);
      if (node.id != name) {
        ids.push_back(node.id);
        continue;
      }
      if (node.kind != Kind::kSink) return i;
      draft_->say.error("bad-from", taker + " takes from '" + name + "', a sink that gives nothing",
                        place);
      linked_ = false;
      return -1;
    }
    draft_->say.error("unknown-node", taker + " takes from '" + name + "', which is no node", place,
                      suggestion(name, ids, "the nodes are"));
    linked_ = false;
    return -1;
  }

  void add_edge(int from, int to, int port) {
    const int edge = static_cast<int>(draft_->edges.size());
    draft_->edges.push_back({.from = from, .to = to, .port = port});
    draft_->node(from).out_edges.push_back(edge);
    if (draft_->is_consumer(to)) {
      draft_->consumer_edge = edge;
    } else {
      draft_->node(to).in_edges.push_back(edge);
    }
  }

  Draft* draft_;
  bool linked_ = true;
};

// Inputs first, otherwise as written; nodes on or behind a cycle are left out.
void sort_nodes(Draft* draft) {
  std::vector<size_t> missing;
  std::set<int> ready;
  for (int i = 0; i < draft->node_count(); ++i) {
    missing.push_back(draft->node(i).in_edges.size());
    if (missing.back() == 0) ready.insert(i);
  }
  while (!ready.empty()) {
    const int index = *ready.begin();
    ready.erase(ready.begin());
    draft->order.push_back(index);
    PlanNode& node = draft->node(index);
    for (const int edge : node.in_edges) {
      node.depth = std::max(node.depth, draft->node(draft->edge(edge).from).depth + 1);
    }
    for (const int edge : node.out_edges) {
      const int to = draft->edge(edge).to;
      if (!draft->is_consumer(to) && --missing[static_cast<size_t>(to)] == 0) ready.insert(to);
    }
  }
}

// The cycle that a walk against the edges from `start` runs into, in the direction of the edges;
// empty when it meets a node that an earlier walk has seen.
std::vector<int> walk_back(const Draft& draft, int start, const std::set<int>& sorted,
                           std::set<int>* seen) {
  std::vector<int> path;
  int now = start;
  while (seen->insert(now).second) {
    path.push_back(now);
    for (const int edge : draft.node(now).in_edges) {
      const int from = draft.edge(edge).from;
      if (sorted.count(from) > 0) continue;
      now = from;
      break;
    }
  }
  const auto begin = std::find(path.begin(), path.end(), now);
  std::vector<int> cycle(begin, path.end());
  std::reverse(cycle.begin(), cycle.end());
  return cycle;
}

void find_cycles(Draft* draft) {
  const std::set<int> sorted(draft->order.begin(), draft->order.end());
  std::set<int> seen;
  for (int i = 0; i < draft->node_count(); ++i) {
    if (sorted.count(i) > 0) continue;
    draft->fail(i);
    if (seen.count(i) > 0) continue;
    std::vector<int> cycle = walk_back(*draft, i, sorted, &seen);
    if (cycle.empty()) continue;
    std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
    std::string names;
    for (const int node : cycle) names += draft->node(node).id + " -> ";
    draft->say.error("cycle", "the nodes form a cycle: " + names + draft->node(cycle.front()).id,
                     place_of_from(draft->written(cycle.front()), 0),
                     "samples flow from sources to the consumer: take one of these out of 'from'");
  }
}

void find_orphans(Draft* draft) {
  for (int i = 0; i < draft->node_count(); ++i) {
    const PlanNode& node = draft->node(i);
    if (!node.out_edges.empty() || node.kind == Kind::kSink) continue;
    if (draft->schemas[static_cast<size_t>(i)] == nullptr) continue;
    draft->say.error("orphan", "nobody takes the output of '" + node.id + "'",
                     place_of(draft->written(i)),
                     "take it with from: " + node.id + ", or remove the node");
    draft->fail(i);
  }
}

}  // namespace

Place place_of_from(const NodeSpec& node, size_t port) {
  if (port >= node.from.size()) return place_of(node);
  const FromSpec& from = node.from[port];
  if (from.at.line == 0) return place_of(node);
  return {from.at, from.source_line};
}

void link_nodes(Draft* draft) {
  Linker linker(draft);
  for (int i = 0; i < draft->node_count(); ++i) linker.link_node(i);
  linker.link_consumer();
  sort_nodes(draft);
  find_cycles(draft);
  if (linker.linked()) find_orphans(draft);
}

}  // namespace penstock
