#include "attribution/change.h"

namespace penstock::bench::attribution {
namespace {

NodeCase* find(PipelineCase* pipeline, const std::string& id) {
  for (NodeCase& node : pipeline->nodes) {
    if (node.id == id) return &node;
  }
  return nullptr;
}

void halve(PipelineCase* pipeline, const std::string& id) {
  if (NodeCase* node = find(pipeline, id)) {
    node->cpu_ms /= 2;
    node->off_ms /= 2;
  } else if (id == "consumer") {
    pipeline->consumer.cpu_ms /= 2;
    pipeline->consumer.off_ms /= 2;
  }
}

void deepen(PipelineCase* pipeline, int times) {
  for (NodeCase& node : pipeline->nodes) node.capacity *= times;
  pipeline->consumer.capacity *= times;
}

void apply(const Change& change, PipelineCase* pipeline) {
  NodeCase* node = find(pipeline, change.id);
  switch (change.lever) {
    case Lever::kHalf:
      return halve(pipeline, change.id);
    case Lever::kSlots:
      if (node != nullptr) node->slots = change.value;
      return;
    case Lever::kThreads:
      pipeline->threads = change.value;
      return;
    case Lever::kOrder:
      if (node != nullptr) node->any = true;
      return;
    case Lever::kQueue:
      (node != nullptr ? node->capacity : pipeline->consumer.capacity) = change.value;
      return;
    case Lever::kQueues:
      return deepen(pipeline, change.value);
  }
}

/// Whether the plan lets results of the node out of turn: not where branches of one fan-out meet.
bool may_reorder(const PipelineCase& pipeline, const NodeCase& node) {
  if (node.role != Role::kMap && node.role != Role::kSource && node.role != Role::kFilter) {
    return false;
  }
  if (node.any || node.in_branch || node.slots < 2 || node.spread.shape == "constant") return false;
  return node.service_ms() > 0 && pipeline.nodes.size() > 1;
}

}  // namespace

std::string Change::text() const {
  switch (lever) {
    case Lever::kHalf:
      return "half " + id;
    case Lever::kSlots:
      return "slots " + id + " " + std::to_string(value);
    case Lever::kThreads:
      return "threads " + std::to_string(value);
    case Lever::kOrder:
      return "order " + id;
    case Lever::kQueue:
      return "queue " + id + " " + std::to_string(value);
    case Lever::kQueues:
      break;
  }
  return "queues x" + std::to_string(value);
}

std::string Change::answer() const {
  switch (lever) {
    case Lever::kThreads:
      return "threads";
    case Lever::kOrder:
      return "order " + id;
    case Lever::kQueue:
    case Lever::kQueues:
      return "queues";
    default:
      return id;
  }
}

PipelineCase with(const PipelineCase& pipeline, const std::vector<Change>& changes) {
  PipelineCase changed = pipeline;
  for (const Change& change : changes) apply(change, &changed);
  return changed;
}

std::vector<Change> every_change(const PipelineCase& pipeline) {
  std::vector<Change> changes;
  const std::vector<double> calls = calls_per_batch(pipeline);
  for (size_t n = 0; n < pipeline.nodes.size(); ++n) {
    const NodeCase& node = pipeline.nodes[n];
    if (node.service_ms() <= 0) continue;
    changes.push_back({Lever::kHalf, node.id, 2});
    // Slots that the planted costs leave idle most of the time cannot be missing.
    const double busy = node.service_ms() * calls[n] / node.slots / pipeline.period_ms;
    if (busy > 0.55) changes.push_back({Lever::kSlots, node.id, node.slots + 1});
    if (may_reorder(pipeline, node)) changes.push_back({Lever::kOrder, node.id, 1});
  }
  if (pipeline.consumer.service_ms() > 0) changes.push_back({Lever::kHalf, "consumer", 2});
  changes.push_back({Lever::kThreads, "", 2 * pipeline.threads});
  changes.push_back({Lever::kQueues, "", 2});
  return changes;
}

}  // namespace penstock::bench::attribution
