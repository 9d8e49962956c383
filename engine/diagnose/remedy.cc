#include "diagnose/remedy.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnose/simulate.h"
#include "diagnose/words.h"

namespace penstock {
namespace {

constexpr double kLeastError = 0.02;  // of a prediction by bounds, where nothing else is known
constexpr double kExact = 0.03;       // left open by bounds that may be taken for the rate
constexpr double kEven = 0.02;        // of a mean, that services may differ from it
constexpr int kMostSlots = 64;
constexpr size_t kAlternatives = 2;

bool same(const Bound& a, const Bound& b) {
  return a.resource == b.resource && (!is_of_node(a.resource) || a.node == b.node);
}

bool is_among(const std::vector<Bound>& bounds, const Bound& bound) {
  return std::any_of(bounds.begin(), bounds.end(),
                     [&bound](const Bound& other) { return same(other, bound); });
}

/// Places that reach the next limit: at least one more, and not more than make sense.
int enough(int places, const Bound& limit, double next) {
  const double wanted = std::ceil(places * next / limit.batches_per_s - 0.01);
  return static_cast<int>(std::clamp<double>(wanted, places + 1, std::max(kMostSlots, places + 1)));
}

Change in_parallel(const Costs& costs) {
  Change change{.set = "",
                .what = "the nodes ran on threads of their own (without workers: 0)",
                .costs = costs};
  change.costs.serial = false;
  change.costs.threads = std::max(1, static_cast<int>(std::lround(costs.cpus_allowed)));
  return change;
}

/// The largest demand on the CPU that is a node or the consumer; nothing in a run without either.
Change with_less_cpu(const Costs& costs) {
  for (const words::Demand& demand : words::cpu_demands(costs)) {
    if (demand.name == "consumer") return with_faster_consumer(costs);
    for (size_t n = 0; n < costs.nodes.size(); ++n) {
      if (costs.nodes[n].facts.id == demand.name) return with_faster_node(costs, n);
    }
  }
  return with_faster_consumer(costs);
}

/// The node with the largest demand on the CPU.
std::optional<size_t> hungriest(const Costs& costs) {
  std::optional<size_t> most;
  for (size_t n = 0; n < costs.nodes.size(); ++n) {
    const NodeCosts& node = costs.nodes[n];
    if (node.facts.serial || node.cpu_per_batch() <= 0) continue;
    if (!most || node.cpu_per_batch() > costs.nodes[*most].cpu_per_batch()) most = n;
  }
  return most;
}

/// What one resource alone allows after a change / before. One that is no longer needed leaves the
/// rate to what neither it nor `limits` name.
double ratio_of(const Bound& which, const Costs& changed, const std::vector<Bound>& bounds,
                const std::vector<Bound>& limits) {
  for (const Bound& bound : bounds_of(changed)) {
    if (same(bound, which)) return bound.batches_per_s / which.batches_per_s;
  }
  std::vector<Bound> beside = limits;
  beside.push_back(which);
  return next_rate(bounds, beside) / lowest(bounds);
}

bool uneven(const std::vector<double>& spread) {
  return std::any_of(spread.begin(), spread.end(),
                     [](double part) { return std::abs(part - 1) > kEven; });
}

}  // namespace

bool varies(const Costs& costs) {
  return uneven(costs.consumer.spread) ||
         std::any_of(costs.nodes.begin(), costs.nodes.end(),
                     [](const NodeCosts& node) { return uneven(node.spread); });
}

Change with_slots(const Costs& costs, size_t node, int slots) {
  Change change{.set = "", .what = "", .costs = costs};
  UnitFacts& facts = change.costs.nodes[node].facts;
  facts.slots = slots;
  change.set = fmt::format("nodes.{}.concurrency={}", facts.id, slots);
  change.what = fmt::format("{} had {}", facts.id, words::count(slots, "slot"));
  return change;
}

Change with_threads(const Costs& costs, int threads) {
  Change change{
      .set = fmt::format("threads={}", threads),
      .what = fmt::format("there were {} for the CPU nodes", words::count(threads, "thread")),
      .costs = costs};
  change.costs.threads = threads;
  return change;
}

Change with_faster_node(const Costs& costs, size_t node) {
  Change change{.set = "", .what = "", .costs = costs};
  NodeCosts& changed = change.costs.nodes[node];
  changed.cpu_ms /= 2;
  changed.off_ms /= 2;
  change.what = fmt::format("{} were twice as fast", changed.facts.id);
  return change;
}

Change with_faster_consumer(const Costs& costs) {
  Change change{.set = "", .what = "the consumer were twice as fast", .costs = costs};
  ConsumerCosts& consumer = change.costs.consumer;
  consumer.cpu_ms /= 2;
  consumer.off_ms /= 2;
  if (!consumer.key.empty()) {
    change.set = fmt::format("{}={}us", consumer.key, std::llround(consumer.target_ms * 500));
  }
  return change;
}

Change with_places(const Costs& costs, size_t node, int places) {
  Change change{.set = "", .what = "", .costs = costs};
  UnitFacts& facts = change.costs.nodes[node].facts;
  facts.places = places;
  change.set = fmt::format("{}={}", facts.places_key, places);
  change.what = fmt::format("{} had {} on the device", facts.id, words::count(places, "slot"));
  return change;
}

Change with_less_to_copy(const Costs& costs, size_t node) {
  Change change{.set = "", .what = "", .costs = costs};
  NodeCosts& changed = change.costs.nodes[node];
  changed.copy_ms /= 2;
  change.what = fmt::format("batches had half the bytes when they get to {}", changed.facts.id);
  return change;
}

double next_rate(const std::vector<Bound>& bounds, const std::vector<Bound>& limits) {
  const double most = 2 * lowest(bounds);
  for (const Bound& bound : bounds) {
    if (!is_among(limits, bound)) return std::min(most, bound.batches_per_s);
  }
  return most;
}

Change remedy_for(const Costs& costs, const Bound& limit, double next) {
  switch (limit.resource) {
    case Resource::kSlots: {
      const UnitFacts& facts = costs.nodes[limit.node].facts;
      if (facts.serial) return with_faster_node(costs, limit.node);
      return with_slots(costs, limit.node, enough(facts.slots, limit, next));
    }
    case Resource::kThreads:
      if (costs.serial) return in_parallel(costs);
      return with_threads(costs, enough(costs.threads, limit, next));
    case Resource::kCpu:
      return with_less_cpu(costs);
    case Resource::kDevice:
      return with_less_to_copy(costs, limit.node);
    case Resource::kConsumer:
      break;
  }
  return with_faster_consumer(costs);
}

std::optional<Change> trial_for(const Costs& costs, const Bound& limit, double next) {
  Change remedy = remedy_for(costs, limit, next);
  if (!remedy.set.empty() && limit.resource != Resource::kCpu) return remedy;
  if (costs.serial) return std::nullopt;
  if (const auto node = hungriest(costs)) {
    return with_slots(costs, *node, 2 * costs.nodes[*node].facts.slots);
  }
  return std::nullopt;
}

Gain gain_of(const Costs& costs, const Change& change, double error, double residual) {
  const double before = lowest(bounds_of(costs)), after = lowest(bounds_of(change.costs));
  Gain gain;
  if (before <= 0 || after <= 0) return gain;
  const bool exact = std::abs(residual) <= kExact && !varies(costs);
  if (!exact && !costs.serial && !change.costs.serial) {
    gain = simulated_gain(costs, change.costs);
  } else {
    gain = {after / before, after / before, after / before};
  }
  return widened(gain, error, residual);
}

Gain widened(Gain gain, double error, double residual) {
  const double width = std::sqrt(error * error + residual * residual + kLeastError * kLeastError);
  gain.low -= gain.value * width;
  gain.high += gain.value * width;
  return gain;
}

std::vector<Alternative> alternatives_to(const Costs& costs, const std::vector<Bound>& bounds,
                                         const std::vector<Bound>& limits,
                                         const std::optional<Change>& trial) {
  struct Candidate {
    Bound bound;
    double ratio;
    bool told_apart;
  };
  const double expected = trial ? lowest(bounds_of(trial->costs)) / lowest(bounds) : 1;
  std::vector<Candidate> candidates;
  for (const Bound& bound : bounds) {
    if (is_among(limits, bound)) continue;
    const double ratio = trial ? ratio_of(bound, trial->costs, bounds, limits) : 1;
    candidates.push_back({bound, ratio, std::abs(ratio / expected - 1) > 0.05});
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& a, const auto& b) { return a.told_apart && !b.told_apart; });
  candidates.resize(std::min(kAlternatives, candidates.size()));
  std::vector<Alternative> result;
  for (const Candidate& candidate : candidates) {
    Alternative alternative;
    alternative.limit = limit_name(candidate.bound.resource);
    if (is_of_node(candidate.bound.resource)) {
      alternative.nodes.push_back(costs.nodes[candidate.bound.node].facts.id);
    }
    alternative.reason = words::reason(costs, candidate.bound);
    alternative.examples_per_s = costs.batches_per_s * costs.examples_per_batch * candidate.ratio;
    result.push_back(std::move(alternative));
  }
  return result;
}

}  // namespace penstock
