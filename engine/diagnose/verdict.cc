#include "diagnose/verdict.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "diagnose/latencies.h"
#include "diagnose/remedy.h"
#include "diagnose/simulate.h"
#include "diagnose/traces.h"
#include "diagnose/what_if.h"
#include "diagnose/words.h"

namespace penstock {
namespace {

constexpr double kTied = 0.05;           // bounds that limit together
constexpr double kUnexplained = 0.10;    // of the rate, by the model
constexpr double kHalfExplained = 0.20;  // the same, where the critical path says what it says
constexpr double kFasterThanBound = 0.03;
constexpr double kExplained = 0.03;  // of the rate, by bounds that need no model
constexpr double kFar = 0.25;        // from the lowest bound to the next, for it to be clear
constexpr double kClearLead = 0.04;  // of a change's gain before another's
constexpr double kTossUp = 0.15;     // of the confidence, lost where there is no lead
constexpr double kMostDriftAlike = 0.20;
constexpr size_t kMostLimits = 3;
constexpr double kConsumersCpu = 0.8;  // of all CPU, before the consumer is named for it
constexpr double kNearlyAllCpu = 0.9;  // the same where only the CPU's bound is low enough
constexpr double kNamedDemand = 0.10;  // of all CPU
constexpr double kPureCpu = 0.1;       // of a service that may be off the CPU

double examples(const Costs& costs, double batches_per_s) {
  return batches_per_s * costs.examples_per_batch;
}

/// How far the run stays behind the model: 0.1 where the model promises 10 % more.
double residual_of(const Costs& costs, double model) {
  return costs.batches_per_s > 0 ? model / costs.batches_per_s - 1 : 0;
}

/// Bounds that tie with the CPU without being another limit: slots whose bodies only compute would
/// wait for the CPU; a consumer that uses nearly all of it is to be named instead of it, also where
/// the little that others need puts its own bound above those that tie.
std::vector<Bound> without_echoes(const Costs& costs, const std::vector<Bound>& bounds,
                                  std::vector<Bound> tied) {
  const auto has = [&tied](Resource resource) {
    return std::any_of(tied.begin(), tied.end(),
                       [resource](const Bound& bound) { return bound.resource == resource; });
  };
  if (!has(Resource::kCpu)) return tied;
  std::erase_if(tied, [&costs](const Bound& bound) {
    if (bound.resource != Resource::kSlots) return false;
    const NodeCosts& node = costs.nodes[bound.node];
    return node.facts.pooled && node.off_ms <= kPureCpu * node.service_ms();
  });
  if (!has(Resource::kConsumer) && costs.consumer.cpu_ms >= kNearlyAllCpu * costs.cpu_per_batch()) {
    std::copy_if(bounds.begin(), bounds.end(), std::back_inserter(tied),
                 [](const Bound& bound) { return bound.resource == Resource::kConsumer; });
  }
  if (has(Resource::kConsumer) && costs.consumer.cpu_ms >= kConsumersCpu * costs.cpu_per_batch()) {
    std::erase_if(tied, [](const Bound& bound) { return bound.resource == Resource::kCpu; });
  }
  return tied;
}

std::vector<std::string> nodes_of(const Costs& costs, const Bound& bound) {
  if (is_of_node(bound.resource)) return {costs.nodes[bound.node].facts.id};
  if (bound.resource == Resource::kConsumer) return {"consumer"};
  if (bound.resource == Resource::kThreads) return {};
  std::vector<std::string> names;
  for (const words::Demand& demand : words::cpu_demands(costs)) {
    if (names.size() < kMostLimits && demand.name != "engine" &&
        demand.ms >= kNamedDemand * costs.cpu_per_batch()) {
      names.push_back(demand.name);
    }
  }
  return names;
}

/// What a co-limited verdict lists: ids of nodes, "consumer", "cpu", "threads".
std::string name_in_list(const Costs& costs, const Bound& bound) {
  return is_of_node(bound.resource) ? costs.nodes[bound.node].facts.id : limit_name(bound.resource);
}

std::optional<NextLimit> next_after(const Costs& costs, const std::vector<Bound>& bounds,
                                    const std::vector<Bound>& limits) {
  for (const Bound& bound : bounds) {
    if (std::any_of(limits.begin(), limits.end(), [&bound](const Bound& limit) {
          return limit.resource == bound.resource && limit.node == bound.node;
        })) {
      continue;
    }
    NextLimit next;
    next.limit = limit_name(bound.resource);
    next.nodes = nodes_of(costs, bound);
    next.headroom = bound.batches_per_s / limits.front().batches_per_s;
    return next;
  }
  return std::nullopt;
}

void add_experiment(const Costs& costs, const Change& trial, const Gain& gain, Verdict* verdict) {
  const double now = examples(costs, costs.batches_per_s);
  ExperimentPlan plan;
  plan.set = trial.set;
  plan.what = trial.what;
  plan.examples_per_s = now * gain.value;
  plan.low = now * gain.low;
  plan.high = now * gain.high;
  plan.work_ms = trial.costs.consumer.work_ms();
  plan.wait_ms = std::max(0.0, 1e3 / (costs.batches_per_s * gain.value) - plan.work_ms);
  verdict->experiment = plan;
}

/// By agreement of the two ways (95 of 100 runs agree, and then nearly all are right), less what
/// the model leaves open and where the next limit is near.
double confidence_of(const Evidence& evidence, double residual, const Verdict& verdict) {
  const Agreement agreement =
      agreement_of(evidence.costs, evidence.path, verdict.limit, verdict.nodes);
  double confidence = 0.9;
  if (agreement == Agreement::kAgrees) confidence = 0.98;
  if (agreement == Agreement::kDisagrees) confidence = 0.5;
  confidence *= 1 - std::clamp(std::abs(residual), 0.0, 1.0);
  if (verdict.next && verdict.next->headroom < 1.1) confidence *= 0.95;
  return confidence;
}

void name_single(const Evidence& evidence, const std::vector<Bound>& bounds, const Bound& limit,
                 double residual, Verdict* verdict) {
  const Costs& costs = evidence.costs;
  verdict->limit = limit_name(limit.resource);
  verdict->nodes = nodes_of(costs, limit);
  verdict->reason = words::reason(costs, limit);
  const double next = next_rate(bounds, {limit});
  const Change remedy = remedy_for(costs, limit, next);
  verdict->advice = remedy.what;
  if (!remedy.set.empty() && limit.resource != Resource::kConsumer &&
      limit.resource != Resource::kCpu) {
    verdict->remedy = remedy.set;
  }
  verdict->gain = gain_of(costs, remedy, evidence.rate_error, residual);
  const std::optional<Change> trial = trial_for(costs, limit, next);
  if (trial) {
    add_experiment(costs, *trial, gain_of(costs, *trial, evidence.rate_error, residual), verdict);
  }
  verdict->alternatives = alternatives_to(costs, bounds, {limit}, trial);
}

void name_several(const Evidence& evidence, const std::vector<Bound>& bounds,
                  const std::vector<Bound>& limits, double residual, Verdict* verdict) {
  const Costs& costs = evidence.costs;
  verdict->limit = limits.size() > kMostLimits ? "none" : "co_limited";
  for (const Bound& limit : limits) verdict->nodes.push_back(name_in_list(costs, limit));
  for (const Bound& limit : limits) {
    verdict->reason += (verdict->reason.empty() ? "" : " ") + words::reason(costs, limit);
  }
  Change all{.set = "", .what = "", .costs = costs};
  const double next = next_rate(bounds, limits);
  std::vector<std::string> changes;
  for (const Bound& limit : limits) {
    const Change change = remedy_for(all.costs, limit, next);
    changes.push_back(change.what);
    all.costs = change.costs;
  }
  all.what = words::list(changes);
  verdict->advice = all.what;
  verdict->gain = gain_of(costs, all, evidence.rate_error, residual);
  const std::optional<Change> trial =
      trial_for(costs, limits.front(), next_rate(bounds, {limits.front()}));
  if (trial) {
    add_experiment(costs, *trial, gain_of(costs, *trial, evidence.rate_error, residual), verdict);
  }
  verdict->alternatives = alternatives_to(costs, bounds, limits, trial);
}

/// How far the run's busiest slots, or its consumer, are from being always busy.
double busiest_share(const Costs& costs) {
  double most = costs.batches_per_s / 1e3 * costs.consumer.work_ms();
  for (const NodeCosts& node : costs.nodes) {
    const double busy = node.visits * (node.service_ms() + node.queued_ms);
    most = std::max(most, costs.batches_per_s / 1e3 * busy / node.facts.slots);
  }
  return most;
}

std::string reason_of(const Costs& costs, const WhatIf& what) {
  const double now = examples(costs, costs.batches_per_s);
  const std::string have = fmt::format("you have {} samples/s.", words::number(now));
  if (what.limit == "order") {
    const NodeCosts& node = *costs.find(what.nodes.front());
    return fmt::format(
        "results of {} leave in order, and a finished one waits {} for a slower older one (its "
        "body takes {}): its {} are taken though not working; {}",
        node.facts.id, words::ms(node.held_ms), words::ms(node.service_ms()),
        words::count(node.facts.slots, "slot"), have);
  }
  if (what.limit == "device" && !what.change.set.empty()) {
    const UnitFacts& facts = costs.find(what.nodes.front())->facts;
    return fmt::format(
        "{} has {} on the device: the next copy waits until the consumer lets go of a batch; {}",
        facts.id, words::count(facts.places, "slot"), have);
  }
  if (what.limit == "variance") {
    return fmt::format(
        "nothing is busy all the time (at most {:.0f} %): the times vary, and the queue into {} is "
        "too short to even them out; {}",
        busiest_share(costs) * 100, what.nodes.front(), have);
  }
  return fmt::format("no resource is at its bound, and the model gains most if {}; {}",
                     what.change.what, have);
}

/// What a change relieves, as the bound that it would have.
Bound bound_of(const Costs& costs, const WhatIf& what, const std::vector<Bound>& bounds) {
  for (const Bound& bound : bounds) {
    const bool node = is_of_node(bound.resource);
    if (limit_name(bound.resource) != what.limit) continue;
    if (!node || costs.nodes[bound.node].facts.id == what.nodes.front()) return bound;
  }
  return {};
}

void name_change(const Evidence& evidence, const std::vector<Bound>& bounds, const WhatIf& chosen,
                 double residual, Verdict* verdict) {
  const Costs& costs = evidence.costs;
  verdict->limit = chosen.limit;
  verdict->nodes = chosen.nodes;
  verdict->reason = reason_of(costs, chosen);
  verdict->advice = chosen.change.what;
  if (!chosen.change.set.empty() && chosen.limit != "consumer") verdict->remedy = chosen.change.set;
  verdict->gain = widened(chosen.gain, evidence.rate_error, residual);
  verdict->next = NextLimit{limit_name(bounds.front().resource), nodes_of(costs, bounds.front()),
                            bounds.front().batches_per_s / costs.batches_per_s};
  if (!chosen.change.set.empty()) add_experiment(costs, chosen.change, *verdict->gain, verdict);
  verdict->alternatives = alternatives_to(costs, bounds, {}, chosen.change);
}

/// By the model: where bounds are near each other or do not explain the run. Returns by how much
/// the answer's gain leads before another's; "none" gains kLeastGain.
double name_by_model(const Evidence& evidence, const std::vector<Bound>& bounds,
                     const std::vector<double>& rates, double residual, Verdict* verdict) {
  const Costs& costs = evidence.costs;
  const std::vector<WhatIf> list = what_ifs(costs, rates);
  if (list.empty() || list.front().gain.value - 1 < kLeastGain) {
    const std::vector<Bound> limits = without_echoes(costs, bounds, limiting(bounds, kTied));
    if (limits.size() > 1) {
      verdict->next = next_after(costs, bounds, limits);
      name_several(evidence, bounds, limits, residual, verdict);
      if (verdict->gain->value - 1 < kLeastGain) verdict->limit = "none";
    } else {
      verdict->limit = "none";
      verdict->reason = fmt::format(
          "no single change in the model gains {:.1f} %: there is no single bottleneck.",
          kLeastGain * 100);
    }
    return list.empty() ? kClearLead : 1 + kLeastGain - list.front().gain.value;
  }
  const WhatIf& chosen = choose(list);
  const Bound bound = bound_of(costs, chosen, bounds);
  const double open = bound.batches_per_s / costs.batches_per_s - 1;
  const bool author = chosen.limit == "node" && chosen.change.set.empty();
  if (bound.batches_per_s > 0 && open <= kUnexplained && !author) {
    verdict->next = next_after(costs, bounds, {bound});
    name_single(evidence, bounds, bound, residual, verdict);
  } else {
    name_change(evidence, bounds, chosen, residual, verdict);
  }
  return std::min(lead_of(chosen, list), list.front().gain.value - 1 - kLeastGain);
}

void name_nothing(const Costs& costs, double model, double residual, Verdict* verdict) {
  verdict->limit = "invalid";
  verdict->reason = fmt::format(
      "the model does not explain this run: it gives {} samples/s, and you have {} ({:+.0f} %).",
      words::number(examples(costs, model)), words::number(examples(costs, costs.batches_per_s)),
      residual * 100);
}

std::vector<PathShare> path_of(const Evidence& evidence) {
  if (evidence.path.total <= 0 || evidence.path.nodes.size() != evidence.costs.nodes.size())
    return {};
  GraphFacts graph;
  for (const NodeCosts& node : evidence.costs.nodes) graph.units.push_back(node.facts);
  return shares_of(graph, evidence.path);
}

Evidence evidence_of(const GraphFacts& graph, const MachineFacts& machine, const RunLog& log,
                     const SteadyPart& part, std::optional<double> reference_ms) {
  Evidence evidence;
  evidence.costs =
      costs_of(graph, machine, log.marks[part.first], log.marks[part.last], reference_ms);
  add_traces(log.firings, &evidence.costs);
  add_latencies(&evidence.costs);
  evidence.path =
      critical_path(graph, log.firings, log.marks[part.first].now, log.marks[part.last].now);
  const MeanEstimate& interval = part.interval_ms;
  if (interval.mean > 0 && interval.error > 0) evidence.rate_error = interval.error / interval.mean;
  return evidence;
}

/// Relative difference of two rates.
double difference(double a, double b) {
  const double less = std::min(a, b);
  return less > 0 ? std::abs(a - b) / less : 1;
}

/// Of a run whose rate changes: what both parts name alike holds for all of it, unless its rate is
/// so different that one figure would mislead.
Verdict judge_parts(const Evidence& first, const Evidence& second, const Evidence& whole) {
  const Verdict a = judge(first), b = judge(second);
  const bool cpu = a.limit == "cpu" && b.limit == "cpu";
  // Where the CPU limits, a rate that follows the CPUs that others left is no other rate.
  const double drift = difference(a.examples_per_s / (cpu ? first.costs.cpus : 1),
                                  b.examples_per_s / (cpu ? second.costs.cpus : 1));
  if (a.limit == b.limit && (cpu || a.nodes == b.nodes) && drift <= kMostDriftAlike) {
    Verdict verdict = judge(whole);
    verdict.confidence *= 1 - drift;
    verdict.reason +=
        fmt::format(" (So it is in both parts of the run, whose rates differ by {:.0f} %.)",
                    difference(a.examples_per_s, b.examples_per_s) * 100);
    return verdict;
  }
  Verdict verdict;
  verdict.by_phase = {a, b};
  verdict.limit = "not_stationary";
  verdict.examples_per_s = examples(whole.costs, whole.costs.batches_per_s);
  verdict.reason =
      fmt::format("the rate changes during the run: {} samples/s at first, {} samples/s later.",
                  words::number(a.examples_per_s), words::number(b.examples_per_s));
  return verdict;
}

void judge_by_bounds(const Evidence& evidence, const std::vector<Bound>& bounds, double residual,
                     Verdict* verdict) {
  const Costs& costs = evidence.costs;
  const std::vector<Bound> limits = without_echoes(costs, bounds, limiting(bounds, kTied));
  verdict->next = next_after(costs, bounds, limits);
  if (limits.size() == 1) {
    name_single(evidence, bounds, limits.front(), residual, verdict);
  } else {
    name_several(evidence, bounds, limits, residual, verdict);
  }
  verdict->confidence = confidence_of(evidence, residual, *verdict);
}

void judge_by_model(const Evidence& evidence, const std::vector<Bound>& bounds, double by_bounds,
                    Verdict* verdict) {
  const Costs& costs = evidence.costs;
  const std::vector<double> rates = simulated_rates(costs);
  const double model = mean_rate(rates), residual = residual_of(costs, model);
  const bool explained = std::abs(residual) <= kUnexplained;
  if (!explained && std::abs(by_bounds) <= kUnexplained) {
    return judge_by_bounds(evidence, bounds, by_bounds, verdict);
  }
  if (std::abs(residual) > kHalfExplained) return name_nothing(costs, model, residual, verdict);
  Verdict named = *verdict;
  named.model_examples_per_s = examples(costs, model);
  const double lead = name_by_model(evidence, bounds, rates, residual, &named);
  // A model that misses the rate may still miss it alike before and after a change.
  if (!explained &&
      agreement_of(costs, evidence.path, named.limit, named.nodes) != Agreement::kAgrees) {
    return name_nothing(costs, model, residual, verdict);
  }
  named.confidence = confidence_of(evidence, residual, named);
  named.confidence *= 1 - kTossUp * (1 - std::clamp(lead / kClearLead, 0.0, 1.0));
  *verdict = std::move(named);
}

/// Whether the bounds alone say what limits: one of them is far below the others, or no time
/// varies.
bool is_clear(const Costs& costs, const std::vector<Bound>& bounds, double residual) {
  if (std::abs(residual) > kUnexplained) return false;
  if (!varies(costs)) return true;
  return std::abs(residual) <= kExplained && limiting(bounds, kFar).size() == 1;
}

}  // namespace

Verdict judge(const Evidence& evidence) {
  const Costs& costs = evidence.costs;
  const std::vector<Bound> bounds = bounds_of(costs);
  const double model = lowest(bounds), residual = residual_of(costs, model);
  Verdict verdict;
  verdict.examples_per_s = examples(costs, costs.batches_per_s);
  verdict.rate_error = evidence.rate_error;
  verdict.model_examples_per_s = examples(costs, model);
  verdict.critical_path = path_of(evidence);
  for (const Bound& bound : bounds) {
    verdict.bounds.push_back({limit_name(bound.resource),
                              is_of_node(bound.resource) ? costs.nodes[bound.node].facts.id : "",
                              examples(costs, bound.batches_per_s)});
  }
  if (bounds.empty() || costs.batches_per_s <= 0) {
    verdict.reason = "no batch or no work was measured.";
    return verdict;
  }
  const bool explained = std::abs(residual) <= kUnexplained;
  if (residual < -kFasterThanBound || (costs.serial && !explained)) {
    name_nothing(costs, model, residual, &verdict);
  } else if (costs.serial || is_clear(costs, bounds, residual)) {
    judge_by_bounds(evidence, bounds, residual, &verdict);
  } else {
    judge_by_model(evidence, bounds, residual, &verdict);
  }
  const std::string slowed = words::slowed_consumer(costs);
  if (verdict.limit != "invalid" && !slowed.empty()) verdict.reason += " " + slowed;
  return verdict;
}

Verdict diagnose_run(const GraphFacts& graph, const MachineFacts& machine, const RunLog& log,
                     std::optional<double> reference_ms) {
  const SteadyPart part = find_steady(log, sources_of(graph));
  const auto evidence = [&](const SteadyPart& of) {
    return evidence_of(graph, machine, log, of, reference_ms);
  };
  Verdict verdict;
  if (!part.refusal.empty()) {
    verdict.reason = part.refusal + ".";
  } else if (part.interval_ms.drift > kMostDrift && part.last - part.first >= 2) {
    const size_t middle = change_mark(log, part);
    verdict = judge_parts(evidence(part_between(log, part.first, middle)),
                          evidence(part_between(log, middle, part.last)), evidence(part));
  } else {
    verdict = judge(evidence(part));
  }
  verdict.phases = part.phases;
  return verdict;
}

std::optional<Evidence> steady_evidence(const GraphFacts& graph, const MachineFacts& machine,
                                        const RunLog& log, std::optional<double> reference_ms) {
  const SteadyPart part = find_steady(log, sources_of(graph));
  if (!part.refusal.empty()) return std::nullopt;
  return evidence_of(graph, machine, log, part, reference_ms);
}

}  // namespace penstock
