#include "diagnose/traces.h"

#include <algorithm>
#include <numeric>

namespace penstock {
namespace {

constexpr size_t kLeastTimes = 24;

/// Of each unit's firings, in the order in which its inputs came; 0 for one without a body.
std::vector<std::vector<double>> firing_times(const FiringLog& log, size_t units) {
  std::vector<std::vector<const FiringRecord*>> records(units);
  for (const FiringRecord& firing : log.firings) {
    if (firing.unit < units) records[firing.unit].push_back(&firing);
  }
  std::vector<std::vector<double>> times(units);
  for (size_t u = 0; u < units; ++u) {
    std::sort(records[u].begin(), records[u].end(),
              [](const FiringRecord* a, const FiringRecord* b) { return a->firing < b->firing; });
    for (const FiringRecord* firing : records[u]) {
      const int64_t body = firing->has_body ? firing->end - firing->start : 0;
      times[u].push_back(static_cast<double>(body));
    }
  }
  return times;
}

/// The consumer's work between deliveries that followed each other.
std::vector<double> work_times(const FiringLog& log) {
  std::vector<double> times;
  for (size_t i = 1; i < log.deliveries.size(); ++i) {
    const int64_t work = log.deliveries[i].asked - log.deliveries[i - 1].arrived;
    times.push_back(static_cast<double>(std::max<int64_t>(0, work)));
  }
  return times;
}

}  // namespace

std::vector<double> trace_of(const std::vector<double>& times, const std::vector<double>& spread) {
  if (times.size() < kLeastTimes || spread.size() < 2) return {};
  std::vector<size_t> order(times.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&times](size_t a, size_t b) { return times[a] < times[b]; });
  std::vector<double> trace(times.size());
  double sum = 0;
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const size_t place = (2 * rank + 1) * spread.size() / (2 * order.size());
    sum += trace[order[rank]] = spread[place];
  }
  if (sum <= 0) return {};
  for (double& factor : trace) factor *= static_cast<double>(trace.size()) / sum;
  return trace;
}

void add_traces(const FiringLog& log, Costs* costs) {
  const std::vector<std::vector<double>> times = firing_times(log, costs->nodes.size());
  for (size_t n = 0; n < times.size(); ++n) {
    costs->nodes[n].trace = trace_of(times[n], costs->nodes[n].spread);
  }
  costs->consumer.trace = trace_of(work_times(log), costs->consumer.spread);
}

}  // namespace penstock
