#include "diagnose/traces.h"

#include <algorithm>
#include <compare>
#include <iterator>
#include <numeric>
#include <unordered_map>

namespace penstock {
namespace {

constexpr size_t kLeastTimes = 24;

using Records = std::vector<const FiringRecord*>;

/// Where the first sample of a firing is in the order of its source.
struct Place {
  uint32_t epoch = 0;
  uint64_t position = 0;
  auto operator<=>(const Place&) const = default;
};

Place place_of(const FiringRecord& firing) { return {firing.epoch, firing.position}; }

/// Of each unit, its firings on samples in the order in which these came, cut where some firings
/// were not recorded.
std::vector<std::vector<Records>> stretches_of(const FiringLog& log, size_t units) {
  std::vector<Records> records(units);
  for (const FiringRecord& firing : log.firings) {
    if (firing.unit < units) records[firing.unit].push_back(&firing);
  }
  std::vector<std::vector<Records>> stretches(units);
  for (size_t u = 0; u < units; ++u) {
    std::sort(records[u].begin(), records[u].end(),
              [](const FiringRecord* a, const FiringRecord* b) { return a->firing < b->firing; });
    uint64_t before = 0;
    for (const FiringRecord* firing : records[u]) {
      if (stretches[u].empty() || before + 1 != firing->firing) stretches[u].emplace_back();
      before = firing->firing;
      if (!firing->is_epoch_end) stretches[u].back().push_back(firing);
    }
  }
  return stretches;
}

/// The samples that every unit has been seen with in a stretch, up to `end`, which is not one.
struct Common {
  Place first, end;
  bool has(const FiringRecord& firing) const {
    return first <= place_of(firing) && place_of(firing) < end;
  }
};

/// Nothing where the units' stretches do not match each other.
std::vector<Common> common_of(const std::vector<std::vector<Records>>& stretches) {
  std::vector<Common> list;
  const size_t count = stretches.empty() ? 0 : stretches.front().size();
  for (const auto& of_unit : stretches) {
    if (of_unit.size() != count) return {};
  }
  for (size_t i = 0; i < count; ++i) {
    Place first, last = {UINT32_MAX, UINT64_MAX};
    for (const auto& of_unit : stretches) {
      if (of_unit[i].empty()) return {};
      const auto [least, most] = std::minmax_element(
          of_unit[i].begin(), of_unit[i].end(),
          [](const FiringRecord* a, const FiringRecord* b) { return place_of(*a) < place_of(*b); });
      first = std::max(first, place_of(**least));
      last = std::min(last, place_of(**most));
    }
    list.push_back({first, {last.epoch, last.position + 1}});
  }
  return list;
}

/// Cut to whole batches, from the first sample of one to that of a later one: stretches follow each
/// other in a trace, and half a batch between them would put what comes after it out of step.
/// `batches`: the stretches of the unit that makes them.
std::vector<Common> whole_batches(std::vector<Common> list, const std::vector<Records>& batches) {
  for (size_t i = 0; i < list.size(); ++i) {
    Place first = list[i].end, last = list[i].first;
    for (const FiringRecord* batch : batches[i]) {
      if (!list[i].has(*batch)) continue;
      first = std::min(first, place_of(*batch));
      last = std::max(last, place_of(*batch));
    }
    list[i] = {first, last};
  }
  return list;
}

/// The unit from which the consumer takes.
size_t last_unit(const Costs& costs) {
  for (const EdgeFacts& edge : costs.edges) {
    if (static_cast<size_t>(edge.to) == costs.nodes.size()) return static_cast<size_t>(edge.from);
  }
  return costs.nodes.size() - 1;
}

/// The firings on the common samples, all where there are none.
Records firings_on(const std::vector<Common>& common, const std::vector<Records>& stretches) {
  Records firings;
  for (size_t i = 0; i < stretches.size(); ++i) {
    std::copy_if(
        stretches[i].begin(), stretches[i].end(), std::back_inserter(firings),
        [&](const FiringRecord* firing) { return common.empty() || common[i].has(*firing); });
  }
  return firings;
}

/// Bodies' times; 0 for a firing without a body.
std::vector<double> times_of(const Records& firings) {
  std::vector<double> times;
  for (const FiringRecord* firing : firings) {
    times.push_back(static_cast<double>(firing->has_body ? firing->end - firing->start : 0));
  }
  return times;
}

/// Streams take a sample at their first firing only, and give as much as they have.
void add_counts(const Records& firings, NodeCosts* node) {
  for (const FiringRecord* firing : firings) {
    node->takes.push_back(firing->enabler != 0 ? 1 : 0);
    node->gives.push_back(firing->given);
  }
}

/// The consumer's work on batches of the common samples, of all where there are none.
std::vector<double> work_times(const FiringLog& log, const std::vector<Common>& common) {
  std::unordered_map<uint64_t, const FiringRecord*> made;
  for (const FiringRecord& firing : log.firings) made[firing.firing] = &firing;
  const auto is_common = [&](const DeliveryRecord& delivery) {
    const auto found = made.find(delivery.firing);
    return found != made.end() && std::any_of(common.begin(), common.end(), [&](const Common& one) {
             return one.has(*found->second);
           });
  };
  std::vector<double> times;
  for (size_t i = 1; i < log.deliveries.size(); ++i) {
    const DeliveryRecord& before = log.deliveries[i - 1];
    if (!common.empty() && !is_common(before)) continue;
    const int64_t work = log.deliveries[i].asked - before.arrived;
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
  const auto stretches = stretches_of(log, costs->nodes.size());
  const auto are_enough = [&](const std::vector<Common>& samples) {
    return std::all_of(stretches.begin(), stretches.end(), [&](const auto& of_unit) {
      return firings_on(samples, of_unit).size() >= kLeastTimes;
    });
  };
  std::vector<Common> common = common_of(stretches);
  if (!common.empty()) {
    const auto whole = whole_batches(common, stretches[last_unit(*costs)]);
    if (are_enough(whole)) common = whole;
  }
  if (!are_enough(common)) common.clear();
  for (size_t n = 0; n < stretches.size(); ++n) {
    NodeCosts& node = costs->nodes[n];
    const Records firings = firings_on(common, stretches[n]);
    node.trace = trace_of(times_of(firings), node.spread);
    if (node.facts.in_turns && !node.trace.empty()) add_counts(firings, &node);
  }
  costs->consumer.trace = trace_of(work_times(log, common), costs->consumer.spread);
}

}  // namespace penstock
