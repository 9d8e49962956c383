#include "support/random_graph.h"

#include <algorithm>
#include <string>
#include <utility>

namespace penstock::testing {
namespace {

class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(seed) {}
  uint64_t next() { return scramble(state_ += 0x9e3779b97f4a7c15ull, 17); }
  /// 0 .. n-1
  int below(int n) { return static_cast<int>(next() % static_cast<uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool percent(int p) { return below(100) < p; }
  int one_of(std::initializer_list<int> values) {
    return values.begin()[below(static_cast<int>(values.size()))];
  }

 private:
  uint64_t state_;
};

/// A stream that nobody reads yet. Streams of one shape carry the same samples at the same places.
struct Open {
  int node = 0;
  bool samples = true;     ///< not batches yet
  bool reordered = false;  ///< by a node with `any`
  int depth = 0;           ///< of expansion
  std::string shape;
};

class Generator {
 public:
  Generator(uint64_t seed, const RandomGraphOptions& options) : draw_(seed), options_(options) {
    graph_.seed = draw_.next() >> 16;
    graph_.any = options.any;
    errors_ = draw_.percent(75);
  }

  GraphCase make() {
    const int sources = 1 + (draw_.percent(45) ? 1 + draw_.percent(25) : 0);
    for (int i = 0; i < sources; ++i) source();
    const int target = options_.small ? draw_.between(2, 5) : draw_.between(3, 10);
    for (int tries = 0; tries < 200 && size() + open_count() <= target; ++tries) grow();
    close();
    return std::move(graph_);
  }

 private:
  int size() const { return static_cast<int>(graph_.nodes.size()); }
  int open_count() const { return static_cast<int>(open_.size()); }
  CaseNode& node(int index) { return graph_.nodes[static_cast<size_t>(index)]; }

  int add(Step step, std::vector<int> from) {
    CaseNode spec;
    spec.step = step;
    spec.from = std::move(from);
    const bool serial = step == Step::kState || step == Step::kTake;
    spec.concurrency = serial ? 1 : draw_.one_of({1, 2, 8});
    spec.capacity = draw_.one_of({1, 1, 2, 8});
    if (draw_.percent(25)) spec.capacity_bytes = draw_.between(1, 160);
    const bool may_block = step == Step::kSource || step == Step::kMap || step == Step::kExpand;
    spec.blocking = may_block && draw_.percent(15);
    spec.per_slot = step == Step::kMap && draw_.percent(15);
    graph_.nodes.push_back(std::move(spec));
    return size() - 1;
  }

  /// Gives the node a share of failing bodies, sometimes.
  void failures(int index) {
    if (!draw_.percent(35)) return;
    CaseNode& spec = node(index);
    spec.fail = draw_.percent(20) ? 600 : draw_.between(30, 180);
    if (!errors_) return;
    spec.on_fail = static_cast<OnFail>(draw_.below(3));
    spec.max_count = draw_.below(4);
    if (spec.on_fail == OnFail::kFail) spec.fail = draw_.between(5, 60);
  }

  void source() {
    const int index = add(Step::kSource, {});
    for (int epoch = 0; epoch < 3; ++epoch) {
      int items = draw_.percent(25) ? draw_.below(40) : draw_.between(1, 10);
      if (draw_.percent(10)) items = 0;
      node(index).sizes.push_back(options_.small ? draw_.below(5) : items);
    }
    failures(index);
    open_.push_back({index, true, false, 0, ""});
  }

  Step pick(bool in_branch) {
    if (in_branch) return draw_.percent(60) ? Step::kMap : Step::kFilter;
    const int draw = draw_.below(100);
    if (draw < 25) return Step::kMap;
    if (draw < 42) return Step::kFilter;
    if (draw < 58) return Step::kCollate;
    if (draw < 72) return Step::kExpand;
    if (draw < 87) return options_.any ? Step::kMap : Step::kTake;
    return options_.any ? Step::kFilter : Step::kState;
  }

  /// Appends a node with one input. In a graph that reorders nothing may depend on which samples
  /// share a batch.
  void unary(Open* stream, bool in_branch) {
    Step step = pick(in_branch);
    if (step == Step::kExpand && (!stream->samples || stream->depth == 3)) step = Step::kMap;
    if (step == Step::kCollate && !stream->samples) step = Step::kMap;
    const int index = add(step, {stream->node});
    CaseNode& spec = node(index);
    const bool fixed = options_.any && (!stream->samples || step == Step::kCollate);
    if (step == Step::kFilter && !fixed) spec.drop = draw_.percent(7) ? 1000 : draw_.below(500);
    if (step != Step::kTake && step != Step::kExpand && !fixed) failures(index);
    if (step == Step::kExpand) {
      spec.cycle = draw_.between(1, 4);
      spec.chunk = draw_.between(1, 4);
      if (draw_.percent(30)) failures(index);
      ++stream->depth;
      stream->shape += "e" + std::to_string(index);
    }
    if (step == Step::kCollate) {
      spec.batch = draw_.between(1, 5);
      spec.drop_last = !options_.any && draw_.percent(40);
      stream->samples = false;
      stream->shape += "c" + std::to_string(spec.batch);
    }
    if (step == Step::kTake) {
      spec.limit = draw_.percent(8) ? 0 : draw_.between(1, 9);
      stream->shape += "t";
    }
    const bool may_reorder = step == Step::kMap || step == Step::kFilter;
    if (options_.any && !in_branch && may_reorder && draw_.percent(70)) {
      spec.any = true;
      stream->reordered = true;
    }
    stream->node = index;
  }

  void grow() {
    const size_t i = static_cast<size_t>(draw_.below(open_count()));
    const int draw = draw_.below(100);
    if (draw < 55) {
      unary(&open_[i], false);
    } else if (draw < 75) {
      diamond(&open_[i]);
    } else if (draw < 85) {
      join(i);
    } else if (draw < 93) {
      side_sink(open_[i]);
    } else {
      cross(i);
    }
  }

  /// Branches out of one node that meet again.
  void diamond(Open* stream) {
    const bool merge = draw_.percent(25);
    std::vector<int> ends;
    for (int branches = draw_.percent(20) ? 3 : 2; branches > 0; --branches) {
      Open branch = *stream;
      for (int steps = draw_.below(3); steps > 0; --steps) unary(&branch, true);
      ends.push_back(branch.node);
    }
    const int index = add(merge ? Step::kMerge : Step::kZip, std::move(ends));
    if (!merge && (!options_.any || stream->samples)) failures(index);
    if (merge) stream->shape += "m" + std::to_string(index);
    if (merge && options_.any && draw_.percent(50)) {
      node(index).any = true;
      stream->reordered = true;
    }
    stream->node = index;
  }

  /// Two streams become one: a zip where their samples go together (or, rarely, do not).
  void join(size_t i) {
    const size_t j = static_cast<size_t>(draw_.below(open_count()));
    if (i == j) return;
    Open &a = open_[i], &b = open_[j];
    const bool alike = a.shape == b.shape && !a.reordered && !b.reordered && a.samples == b.samples;
    const bool zip = !options_.any && ((alike && draw_.percent(85)) ||
                                       (errors_ && a.samples == b.samples && draw_.percent(5)));
    if (!zip && a.samples != b.samples) return;
    const int index = add(zip ? Step::kZip : Step::kMerge, {a.node, b.node});
    if (zip) {
      failures(index);
    } else {
      a.shape = "m" + std::to_string(index);
      node(index).any = options_.any && draw_.percent(60);
    }
    a.node = index;
    a.reordered |= b.reordered || node(index).any;
    a.depth = std::max(a.depth, b.depth);
    open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(j));
  }

  void side_sink(Open stream) {
    if (draw_.percent(60)) unary(&stream, false);
    sink(stream.node);
  }

  int sink(int from) {
    const int index = add(Step::kSink, {from});
    if (errors_ && !options_.any && draw_.percent(10)) failures(index);
    return index;
  }

  /// Two streams that are joined twice, in both orders.
  void cross(size_t i) {
    const size_t j = static_cast<size_t>(draw_.below(open_count()));
    if (i == j || options_.any) return;
    Open &a = open_[i], &b = open_[j];
    if (a.shape != b.shape || a.samples != b.samples) return;
    const int first = add(draw_.percent(50) ? Step::kZip : Step::kMerge, {a.node, b.node});
    const int second = add(draw_.percent(50) ? Step::kZip : Step::kMerge, {b.node, a.node});
    a.node = first;
    b.node = second;
    a.shape += "x" + std::to_string(first);
    b.shape += "x" + std::to_string(second);
  }

  /// Gives every stream that nobody reads a reader and draws what concerns the whole run.
  void close() {
    const size_t chosen = static_cast<size_t>(draw_.below(open_count()));
    for (size_t i = 0; i < open_.size(); ++i) {
      if (i != chosen) sink(open_[i].node);
    }
    graph_.consumer = open_[chosen].node;
    graph_.consumer_capacity = draw_.one_of({1, 1, 2, 8});
    if (draw_.percent(25)) graph_.consumer_bytes = draw_.between(1, 160);
    CaseNode& last = node(graph_.consumer);
    const bool only_reader = fan_out(graph_)[static_cast<size_t>(graph_.consumer)] == 1;
    if ((last.step == Step::kMap || last.step == Step::kFilter) && only_reader) {
      last.pool = draw_.percent(40) ? draw_.between(1, 3) : 0;
    }
    if (draw_.percent(options_.small ? 8 : 45)) {
      graph_.stop_after = draw_.between(1, 8);
      const int how = draw_.below(10);
      graph_.stop = how < 6 ? Stop::kBatches : how < 8 ? Stop::kCall : Stop::kEndless;
    }
    if (draw_.percent(options_.small ? 8 : 30)) {
      graph_.memory_bytes = draw_.percent(30) ? 1 : static_cast<uint64_t>(draw_.between(1, 200));
    }
  }

  Draw draw_;
  const RandomGraphOptions options_;
  GraphCase graph_;
  std::vector<Open> open_;
  bool errors_ = false;
};

/// Biconnected blocks of the undirected graph (Tarjan), by edge.
class Blocks {
 public:
  explicit Blocks(const GraphCase& graph)
      : incident_(graph.nodes.size()), found_(graph.nodes.size(), 0), low_(graph.nodes.size(), 0) {
    for (size_t to = 0; to < graph.nodes.size(); ++to) {
      for (int from : graph.nodes[to].from) {
        incident_[to].push_back({count_, from});
        incident_[static_cast<size_t>(from)].push_back({count_, static_cast<int>(to)});
        ends_.push_back({from, static_cast<int>(to)});
        ++count_;
      }
    }
    block_.assign(static_cast<size_t>(count_), -1);
    for (size_t start = 0; start < found_.size(); ++start) {
      if (found_[start] == 0) visit(static_cast<int>(start), -1);
    }
  }

  /// True when an in-edge and an out-edge of the node are in one block.
  bool passes_through(int node) const {
    for (const auto& [in, a] : incident_[static_cast<size_t>(node)]) {
      if (ends_[static_cast<size_t>(in)].second != node) continue;
      for (const auto& [out, b] : incident_[static_cast<size_t>(node)]) {
        const bool leaves = ends_[static_cast<size_t>(out)].first == node;
        if (leaves && block_[static_cast<size_t>(in)] == block_[static_cast<size_t>(out)]) {
          return true;
        }
      }
    }
    return false;
  }

 private:
  void visit(int node, int by) {
    const size_t at = static_cast<size_t>(node);
    found_[at] = low_[at] = ++time_;
    for (const auto& [edge, other] : incident_[at]) {
      if (edge == by) continue;
      const size_t there = static_cast<size_t>(other);
      if (found_[there] == 0) {
        stack_.push_back(edge);
        visit(other, edge);
        low_[at] = std::min(low_[at], low_[there]);
        if (low_[there] >= found_[at]) pop_block(edge);
      } else if (found_[there] < found_[at]) {
        stack_.push_back(edge);
        low_[at] = std::min(low_[at], found_[there]);
      }
    }
  }

  void pop_block(int last) {
    int edge = -1;
    while (edge != last) {
      edge = stack_.back();
      stack_.pop_back();
      block_[static_cast<size_t>(edge)] = blocks_;
    }
    ++blocks_;
  }

  std::vector<std::vector<std::pair<int, int>>> incident_;  // node -> (edge, other end)
  std::vector<std::pair<int, int>> ends_;
  std::vector<int> found_, low_, block_, stack_;
  int count_ = 0, time_ = 0, blocks_ = 0;
};

/// The plan wants equal field tables in a merge, unused places that a zip leaves behind included.
bool fields_agree(const GraphCase& graph) {
  std::vector<int> fields(graph.nodes.size(), 3);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const CaseNode& node = graph.nodes[i];
    if (node.from.empty()) continue;
    fields[i] = fields[static_cast<size_t>(node.from.front())];
    if (node.step == Step::kZip) fields[i] += static_cast<int>(node.from.size()) - 1;
    for (int from : node.from) {
      const bool differs = fields[static_cast<size_t>(from)] != fields[i];
      if (node.step == Step::kMerge && differs) return false;
    }
  }
  return true;
}

}  // namespace

bool joins_allowed(const GraphCase& graph) {
  const Blocks blocks(graph);
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const Step step = graph.nodes[i].step;
    const bool changes = step == Step::kCollate || step == Step::kExpand || step == Step::kMerge;
    if (changes && blocks.passes_through(static_cast<int>(i))) return false;
  }
  return true;
}

GraphCase random_graph(uint64_t seed, const RandomGraphOptions& options) {
  for (uint64_t attempt = 0;; ++attempt) {
    GraphCase graph = Generator(scramble(seed, attempt), options).make();
    if (graph.nodes.size() <= 12 && joins_allowed(graph) && fields_agree(graph)) return graph;
  }
}

}  // namespace penstock::testing
