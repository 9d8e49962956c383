// Fifth pass: what travels where, and what an unordered node does to those behind it. Then the
// capacities, which depend on it.
#include <algorithm>
#include <array>
#include <set>

#include "plan/draft.h"

namespace penstock {
namespace {

constexpr uint64_t kSampleQueue = 8;
constexpr uint64_t kBatchQueue = 2;
constexpr uint64_t kMaxQueue = uint64_t{1} << 20;

bool takes_batch(const Draft& draft, int index) {
  const auto& in = draft.node(index).in_edges;
  return std::any_of(in.begin(), in.end(), [&](int edge) {
    return draft.gives_batch[static_cast<size_t>(draft.edge(edge).from)];
  });
}

// A zip compares all samples of its items: a batch of several never matches a sample.
void warn_mixed_zip(Draft* draft, int index) {
  const auto gives_batch = [&](int edge) {
    return draft->gives_batch[static_cast<size_t>(draft->edge(edge).from)];
  };
  const auto& in = draft->node(index).in_edges;
  if (std::all_of(in.begin(), in.end(), gives_batch)) return;
  draft->say.warning("zip-batch",
                     "'" + draft->node(index).id +
                         "' joins batches with samples, which match only "
                         "where a batch has one sample",
                     place_of(draft->written(index)), "collate all its inputs alike, or behind it");
}

void check_batches(Draft* draft) {
  draft->gives_batch.assign(draft->nodes.size(), false);
  for (const int index : draft->order) {
    const PlanNode& node = draft->node(index);
    const bool batch = takes_batch(*draft, index);
    draft->gives_batch[static_cast<size_t>(index)] = batch || node.kind == Kind::kCollate;
    if (node.kind == Kind::kZip && batch) warn_mixed_zip(draft, index);
    if (node.kind != Kind::kExpand || !batch) continue;
    draft->say.error("expand-batch", "'" + node.id + "' expands samples, but batches arrive there",
                     place_of(draft->written(index)), "put it before collate");
    draft->gives_batch[static_cast<size_t>(index)] = false;
  }
}

void check_child_depth(Draft* draft) {
  std::vector<int> depth(draft->nodes.size(), 0);
  for (const int index : draft->order) {
    int& own = depth[static_cast<size_t>(index)];
    for (const int edge : draft->node(index).in_edges) {
      own = std::max(own, depth[static_cast<size_t>(draft->edge(edge).from)]);
    }
    if (draft->node(index).kind != Kind::kExpand) continue;
    if (++own != Origin::kMaxDepth + 1) continue;
    draft->say.error("too-deep",
                     "'" + draft->node(index).id + "' is the " + std::to_string(own) +
                         "th node in a row that makes several samples of one",
                     place_of(draft->written(index)),
                     "at most " + std::to_string(Origin::kMaxDepth) + " may follow each other");
  }
}

// Why the samples behind an unordered node depend on the order there, or "".
std::string sensitivity(const PlanNode& node, bool behind_collate) {
  if (node.kind == Kind::kTake) return "takes the first ones";
  if (const auto* collate = dynamic_cast<const Collate*>(node.prototype.get())) {
    if (collate->drop_last()) return "drops the last ones";
  }
  if (node.order_sensitive) return "depends on their order";
  if (!behind_collate) return {};
  if (node.may_drop) return "drops whole batches";
  if (node.policy.skip) return "skips whole batches";
  if (node.random) return "draws once a batch";
  return {};
}

// Each node behind `start`, twice where it is also behind a collate that is behind `start`.
void warn_behind(Draft* draft, int start, std::set<int>* warned) {
  std::set<std::pair<int, bool>> seen;
  std::vector<std::pair<int, bool>> todo = {{start, false}};
  while (!todo.empty()) {
    const auto [index, collated] = todo.back();
    todo.pop_back();
    if (draft->is_consumer(index) || !seen.insert({index, collated}).second) continue;
    const PlanNode& node = draft->node(index);
    const std::string why = index == start ? "" : sensitivity(node, collated);
    if (!why.empty() && warned->insert(index).second) {
      draft->say.warning(
          "order-sensitive",
          "'" + draft->node(start).id + "' gives samples in any order, and '" + node.id +
              "' behind it " + why + ": which samples are delivered depends on timing",
          place_of(draft->written(start)), "write order: preserve if runs have to be repeatable");
    }
    const bool now = collated || (node.kind == Kind::kCollate && index != start);
    for (const int edge : node.out_edges) todo.emplace_back(draft->edge(edge).to, now);
  }
}

// `start` and all nodes behind it.
std::set<int> reached_from(const Draft& draft, int start) {
  std::set<int> seen;
  std::vector<int> todo = {start};
  while (!todo.empty()) {
    const int index = todo.back();
    todo.pop_back();
    if (draft.is_consumer(index) || !seen.insert(index).second) continue;
    for (const int edge : draft.node(index).out_edges) todo.push_back(draft.edge(edge).to);
  }
  return seen;
}

// A zip pairs items by their place: an order that one of its inputs alone has lost does not match.
void warn_zips(Draft* draft, int start) {
  const std::set<int> behind = reached_from(*draft, start);
  for (const int index : behind) {
    const PlanNode& node = draft->node(index);
    if (node.kind != Kind::kZip || index == start) continue;
    const auto reaches = [&](int edge) { return behind.count(draft->edge(edge).from) > 0; };
    if (std::all_of(node.in_edges.begin(), node.in_edges.end(), reaches)) continue;
    draft->say.warning("zip-order",
                       "'" + draft->node(start).id +
                           "' gives samples in any order to one input of '" + node.id +
                           "' only, which joins samples of the same place",
                       place_of(draft->written(start)), "write order: preserve");
  }
}

void check_order(Draft* draft) {
  std::set<int> warned;
  for (const int index : draft->order) {
    if (!reorders(draft->node(index)) || draft->failed[static_cast<size_t>(index)]) continue;
    warn_zips(draft, index);
    warn_behind(draft, index, &warned);
  }
}

const QueueSpec& queue_of(const Draft& draft, const PlanEdge& edge) {
  return draft.is_consumer(edge.to) ? draft.spec.consumer.queue : draft.written(edge.to).queue;
}

void check_queue(Draft* draft, const QueueSpec& queue, const std::string& name) {
  if (is_read(queue.at) || (!queue.items && !queue.bytes)) return;
  if (draft->spec.serial) {
    draft->say.error("serial-queue",
                     name + " has no meaning with `workers: 0`: there every edge holds one item",
                     place_of(queue), "remove the queue, or `workers: 0`");
    return;
  }
  if (queue.items && (*queue.items < 1 || *queue.items > kMaxQueue)) {
    draft->say.error("bad-queue",
                     name + ".items must be between 1 and " + std::to_string(kMaxQueue) + ", not " +
                         std::to_string(*queue.items),
                     place_of(queue));
  }
  if (queue.bytes && *queue.bytes < 1) {
    draft->say.error("bad-queue", name + ".bytes must be at least 1", place_of(queue),
                     "leave it out for no bound in bytes");
  }
}

/// Outputs of `start` that there is room for: in its slots, and in queues and slots behind it as
/// far as the outputs have memory of their own, which is bounded, or the consumer has them.
size_t room_for_outputs(const Draft& draft, int start) {
  constexpr size_t kWithConsumer = 2;  // the batch that it works on, and the next one
  auto room = static_cast<size_t>(draft.node(start).concurrency);
  std::vector<int> ahead = {start};
  std::set<int> seen = {start};
  while (!ahead.empty()) {
    const int from = ahead.back();
    ahead.pop_back();
    for (const int e : draft.node(from).out_edges) {
      const PlanEdge& edge = draft.edge(e);
      room += edge.capacity;
      if (draft.is_consumer(edge.to)) {
        room += kWithConsumer;
      } else if (seen.insert(edge.to).second) {
        const PlanNode& node = draft.node(edge.to);
        room += static_cast<size_t>(node.concurrency) + node.output_pool;
        if (node.output_pool == 0) ahead.push_back(edge.to);
      }
    }
  }
  return room;
}

}  // namespace

void check_streams(Draft* draft) {
  check_batches(draft);
  check_child_depth(draft);
  check_order(draft);
}

void size_queues(Draft* draft) {
  for (int i = 0; i < draft->node_count(); ++i) {
    const NodeSpec& spec = draft->written(i);
    if (draft->node(i).kind == Kind::kSource && (spec.queue.items || spec.queue.bytes)) {
      draft->say.error("bad-queue", "'" + spec.id + "' is a source: there is no edge into it",
                       place_of(spec.queue), "the queue of a node is the edge into it");
    } else {
      check_queue(draft, spec.queue, "nodes." + spec.id + ".queue");
    }
  }
  check_queue(draft, draft->spec.consumer.queue, "consumer.queue");
  for (PlanEdge& edge : draft->edges) {
    const bool batch =
        draft->is_consumer(edge.to) || draft->gives_batch[static_cast<size_t>(edge.from)];
    const QueueSpec& queue = queue_of(*draft, edge);
    edge.capacity = queue.items.value_or(batch ? kBatchQueue : kSampleQueue);
    edge.capacity_bytes = queue.bytes.value_or(0);
    if (draft->spec.serial) edge.capacity = 1;
  }
}

void size_memories(Draft* draft) {
  std::set<const ItemMemory*> told;
  for (const int index : draft->order) {  // the first node that writes there has all behind it
    const std::shared_ptr<ItemMemory>& memory = draft->node(index).output_memory;
    if (memory == nullptr || !told.insert(memory.get()).second) continue;
    memory->expect(room_for_outputs(*draft, index));
  }
}

}  // namespace penstock
