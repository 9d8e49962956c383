#include "diagnose/latencies.h"

#include <algorithm>

#include "diagnose/simulate.h"

namespace penstock {
namespace {

constexpr double kMostWakeMs = 0.05;  // waiting beyond that has other reasons than a wake-up
constexpr uint64_t kRuns = 3;

}  // namespace

void add_latencies(Costs* costs) {
  costs->consumer.latency_ms = 0;
  for (NodeCosts& node : costs->nodes) node.latency_ms = 0;
  if (costs->serial) return;
  std::vector<double> explained(costs->nodes.size() + 1, 0);
  for (uint64_t seed = 0; seed < kRuns; ++seed) {
    const std::vector<double> queued = simulate(*costs, seed).queued_ms;
    for (size_t n = 0; n < queued.size(); ++n) explained[n] += queued[n] / kRuns;
  }
  for (size_t n = 0; n < costs->nodes.size(); ++n) {
    NodeCosts& node = costs->nodes[n];
    node.latency_ms = std::max(0.0, node.queued_ms - explained[n]);
    if (node.facts.pooled) continue;
    node.latency_ms +=
        std::min(node.thread_wait_ms, kMostWakeMs) + std::min(node.handover_ms, kMostWakeMs);
  }
  costs->consumer.latency_ms = std::max(0.0, costs->consumer.queued_ms - explained.back());
}

}  // namespace penstock
