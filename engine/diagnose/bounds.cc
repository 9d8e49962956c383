#include "diagnose/bounds.h"

#include <algorithm>

namespace penstock {
namespace {

constexpr double kTied = 0.03;

void add(Resource resource, size_t node, double places, double ms, std::vector<Bound>* bounds) {
  if (places <= 0 || ms <= 0) return;
  bounds->push_back({resource, node, places / ms * 1e3});
}

double pooled_ms(const Costs& costs) {
  double sum = 0;
  for (const NodeCosts& node : costs.nodes) {
    if (node.facts.pooled) sum += node.visits * node.service_ms();
  }
  return sum;
}

double serial_ms(const Costs& costs) {
  double sum = costs.engine_ms + costs.consumer.service_ms();
  for (const NodeCosts& node : costs.nodes) sum += node.visits * (node.service_ms() + node.copy_ms);
  return sum;
}

}  // namespace

bool is_of_node(Resource resource) {
  return resource == Resource::kSlots || resource == Resource::kDevice;
}

std::string limit_name(Resource resource) {
  switch (resource) {
    case Resource::kSlots:
      return "node";
    case Resource::kCpu:
      return "cpu";
    case Resource::kThreads:
      return "threads";
    case Resource::kDevice:
      return "device";
    case Resource::kConsumer:
      break;
  }
  return "consumer";
}

std::vector<Bound> bounds_of(const Costs& costs) {
  std::vector<Bound> bounds;
  add(Resource::kCpu, 0, costs.cpus, costs.cpu_per_batch(), &bounds);
  if (costs.serial) {
    add(Resource::kThreads, 0, 1, serial_ms(costs), &bounds);
  } else {
    add(Resource::kThreads, 0, costs.threads, pooled_ms(costs), &bounds);
    add(Resource::kConsumer, 0, 1, costs.consumer.service_ms(), &bounds);
    for (size_t n = 0; n < costs.nodes.size(); ++n) {
      const NodeCosts& node = costs.nodes[n];
      add(Resource::kSlots, n, node.facts.slots, node.visits * node.service_ms(), &bounds);
      add(Resource::kDevice, n, 1, node.visits * node.copy_ms, &bounds);
    }
  }
  std::stable_sort(bounds.begin(), bounds.end(), [](const Bound& a, const Bound& b) {
    return a.batches_per_s < b.batches_per_s;
  });
  return bounds;
}

double lowest(const std::vector<Bound>& bounds) {
  return bounds.empty() ? 0 : bounds.front().batches_per_s;
}

std::vector<Bound> limiting(const std::vector<Bound>& bounds, double tolerance) {
  std::vector<Bound> tied;
  bool cpu = false, threads = false;
  for (const Bound& bound : bounds) {
    if (bound.batches_per_s > lowest(bounds) * (1 + tolerance)) break;
    cpu |= bound.resource == Resource::kCpu;
    threads |= bound.resource == Resource::kThreads;
    tied.push_back(bound);
  }
  if (cpu && threads) {
    std::erase_if(tied, [](const Bound& b) { return b.resource == Resource::kThreads; });
  }
  return tied;
}

Prediction predict(const Costs& measured, const Costs& changed) {
  const double before = lowest(bounds_of(measured));
  const std::vector<Bound> after = bounds_of(changed);
  Prediction prediction;
  if (before <= 0 || after.empty()) return prediction;
  const double kept = measured.serial ? 1 : measured.batches_per_s / before;
  prediction.examples_per_s = kept * measured.examples_per_batch * after.front().batches_per_s;
  const std::vector<Bound> tied = limiting(after, kTied);
  prediction.limit = tied.size() == 1 ? limit_name(tied.front().resource) : "co_limited";
  for (const Bound& bound : tied) {
    if (bound.resource == Resource::kSlots) {
      prediction.nodes.push_back(changed.nodes[bound.node].facts.id);
    }
  }
  return prediction;
}

}  // namespace penstock
