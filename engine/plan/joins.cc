// Fourth pass: what may not lie between a fan-out and the join where its branches meet. With
// bounded edges a node there that changes the number of items, or their order, waits for room on
// one branch while the join waits for the other.
#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "plan/draft.h"

namespace penstock {
namespace {

/// Biconnected components of the undirected graph, by edge (Hopcroft and Tarjan: "Algorithm 447",
/// CACM 16 (1973)), with an explicit stack.
class Blocks {
 public:
  explicit Blocks(const Draft& draft)
      : draft_(draft),
        touching_(static_cast<size_t>(draft.node_count()) + 1),
        block_(draft.edges.size(), -1),
        found_(touching_.size(), 0),
        low_(touching_.size(), 0) {
    for (size_t e = 0; e < draft.edges.size(); ++e) {
      touching_[static_cast<size_t>(draft.edges[e].from)].push_back(static_cast<int>(e));
      touching_[static_cast<size_t>(draft.edges[e].to)].push_back(static_cast<int>(e));
    }
    for (size_t v = 0; v < touching_.size(); ++v) {
      if (found_[v] == 0) search(static_cast<int>(v));
    }
  }

  int of(int edge) const { return block_[static_cast<size_t>(edge)]; }

  /// The nodes of a cycle through two edges of `node` in one block, beginning with `node` along
  /// `out` and ending before it comes back along `in`; with an arrow between each two.
  std::string cycle(int node, int in, int out) const {
    std::map<int, int> came_by;  // node -> edge
    const int start = other_end(out, node);
    const int goal = other_end(in, node);
    std::deque<int> queue = {start};
    came_by[start] = out;
    while (!queue.empty() && came_by.count(goal) == 0) {
      const int v = queue.front();
      queue.pop_front();
      for (const int e : touching_[static_cast<size_t>(v)]) {
        const int w = other_end(e, v);
        if (of(e) != of(out) || w == node || came_by.count(w) > 0) continue;
        came_by[w] = e;
        queue.push_back(w);
      }
    }
    std::string text = arrow(in, goal, node) + draft_.name_of(node);
    for (int v = goal; v != node;) {
      const int e = came_by.at(v);
      const int before = other_end(e, v);
      text = arrow(e, before, v) + draft_.name_of(v) + text;
      v = before;
    }
    return draft_.name_of(node) + text;
  }

 private:
  struct Frame {
    int node, by_edge;
    size_t next = 0;
  };

  int other_end(int edge, int node) const {
    const PlanEdge& e = draft_.edge(edge);
    return e.from == node ? e.to : e.from;
  }

  std::string arrow(int edge, int from, int to) const {
    const PlanEdge& e = draft_.edge(edge);
    return e.from == from && e.to == to ? " -> " : " <- ";
  }

  void search(int root) {
    std::vector<Frame> stack = {{root, -1}};
    enter(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      const auto v = static_cast<size_t>(frame.node);
      if (frame.next < touching_[v].size()) {
        const int e = touching_[v][frame.next++];
        if (e == frame.by_edge) continue;
        const int w = other_end(e, frame.node);
        if (found_[static_cast<size_t>(w)] == 0) {
          open_.push_back(e);
          enter(w);
          stack.push_back({w, e});
        } else if (found_[static_cast<size_t>(w)] < found_[v]) {
          open_.push_back(e);
          low_[v] = std::min(low_[v], found_[static_cast<size_t>(w)]);
        }
        continue;
      }
      const Frame done = frame;
      stack.pop_back();
      if (!stack.empty()) leave(done, stack.back().node);
    }
  }

  void enter(int v) { found_[static_cast<size_t>(v)] = low_[static_cast<size_t>(v)] = ++time_; }

  void leave(const Frame& done, int parent) {
    const int low = low_[static_cast<size_t>(done.node)];
    auto& parent_low = low_[static_cast<size_t>(parent)];
    parent_low = std::min(parent_low, low);
    if (low < found_[static_cast<size_t>(parent)]) return;
    int e = -1;
    while (e != done.by_edge) {
      e = open_.back();
      open_.pop_back();
      block_[static_cast<size_t>(e)] = count_;
    }
    ++count_;
  }

  const Draft& draft_;
  std::vector<std::vector<int>> touching_;
  std::vector<int> block_, found_, low_, open_;
  int time_ = 0, count_ = 0;
};

bool changes_count(Kind kind) {
  return kind == Kind::kCollate || kind == Kind::kExpand || kind == Kind::kMerge;
}

std::set<int> nodes_behind(const Draft& draft, int start) {
  std::set<int> seen;
  std::vector<int> todo = {start};
  while (!todo.empty()) {
    const int v = todo.back();
    todo.pop_back();
    if (draft.is_consumer(v) || !seen.insert(v).second) continue;
    for (const int e : draft.node(v).out_edges) todo.push_back(draft.edge(e).to);
  }
  seen.erase(start);
  return seen;
}

// The in-edge and the out-edge of a node that lie in one block, or {-1, -1}.
std::pair<int, int> edges_on_cycle(const Draft& draft, const Blocks& blocks, int index) {
  for (const int in : draft.node(index).in_edges) {
    for (const int out : draft.node(index).out_edges) {
      if (blocks.of(in) == blocks.of(out)) return {in, out};
    }
  }
  return {-1, -1};
}

// A zip behind the node, in that block, where two of the block's branches meet; or -1.
int zip_behind(const Draft& draft, const Blocks& blocks, int index, int block) {
  for (const int v : nodes_behind(draft, index)) {
    const auto& in = draft.node(v).in_edges;
    const auto here =
        std::count_if(in.begin(), in.end(), [&](int edge) { return blocks.of(edge) == block; });
    if (draft.node(v).kind == Kind::kZip && here > 1) return v;
  }
  return -1;
}

}  // namespace

void check_joins(Draft* draft) {
  const Blocks blocks(*draft);
  for (const int index : draft->order) {
    const PlanNode& node = draft->node(index);
    const auto [in, out] = edges_on_cycle(*draft, blocks, index);
    if (in < 0) continue;
    const NodeSpec& spec = draft->written(index);
    const std::string cycle = blocks.cycle(index, in, out);
    if (changes_count(node.kind)) {
      draft->say.error(
          "join-count",
          "'" + node.id + "' (" + std::string(name_of(node.kind)) +
              ") changes the number of items on a branch that meets another one: " + cycle,
          place_of(spec), "bounded edges would stop for ever: collate or expand behind the join");
      continue;
    }
    if (!reorders(node)) continue;
    const int zip = zip_behind(*draft, blocks, index, blocks.of(out));
    if (zip < 0) continue;
    draft->say.error("join-order",
                     "'" + node.id +
                         "' (order: any) changes the order on a branch that meets "
                         "another one in '" +
                         draft->node(zip).id + "': " + cycle,
                     place_of(spec),
                     "write order: preserve, or put the node before the branches part");
    draft->fail(index);
  }
}

}  // namespace penstock
