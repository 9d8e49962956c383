#include "diagnose/trial.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "diagnose/words.h"

namespace penstock {
namespace {

constexpr double kLeastError = 0.03;  // of a ratio of two runs on a machine that is not ours alone

Expectation expectation(std::string limit, std::vector<std::string> nodes, double rate, double low,
                        double high, const Costs& changed) {
  Expectation result{std::move(limit), std::move(nodes), rate, low, high, 0, 0};
  result.work_ms = changed.consumer.work_ms();
  if (rate > 0) {
    result.wait_ms = std::max(0.0, changed.examples_per_batch / rate * 1e3 - result.work_ms);
  }
  return result;
}

Trial trial_of(const Evidence& evidence, const Verdict& verdict, const Change& change,
               const Gain& gain, const std::vector<Alternative>& alternatives) {
  const double now = verdict.examples_per_s;
  Trial trial{.set = change.set, .what = change.what, .hypothesis = {}, .alternatives = {}};
  trial.hypothesis = expectation(verdict.limit, verdict.nodes, now * gain.value, now * gain.low,
                                 now * gain.high, change.costs);
  for (const Alternative& other : alternatives) {
    const double rate = other.examples_per_s;
    const double width = std::sqrt(evidence.rate_error * evidence.rate_error + 0.02 * 0.02);
    trial.alternatives.push_back(expectation(other.limit, other.nodes, rate, rate * (1 - width),
                                             rate * (1 + width), change.costs));
  }
  return trial;
}

bool names_a_limit(const Verdict& verdict) {
  return verdict.limit != "invalid" && verdict.limit != "not_stationary" && verdict.limit != "none";
}

std::string name_of(const Expectation& expectation) {
  return words::headline(expectation.limit, expectation.nodes);
}

std::string words_of(const Trial& trial, const TrialResult& result) {
  const std::string hypothesis = name_of(trial.hypothesis);
  switch (result.finding) {
    case Finding::kHolds:
      return fmt::format("The prediction of \"{}\" holds, and no alternative predicted this.",
                         hypothesis);
    case Finding::kUndecided:
      return fmt::format(
          "The prediction of \"{}\" holds; \"{}\" predicted the same, so this does not tell them "
          "apart.",
          hypothesis, name_of(trial.alternatives[result.alternative]));
    case Finding::kAlternative:
      return fmt::format("The prediction of \"{}\" fails; this is what \"{}\" predicted.",
                         hypothesis, name_of(trial.alternatives[result.alternative]));
    case Finding::kNeither:
      break;
  }
  return fmt::format("The prediction of \"{}\" fails, and no alternative predicted this either.",
                     hypothesis);
}

}  // namespace

std::optional<Trial> change_trial(const Evidence& evidence, const Verdict& verdict) {
  if (!verdict.experiment || !names_a_limit(verdict)) return std::nullopt;
  const ExperimentPlan& plan = *verdict.experiment;
  Change change{.set = plan.set, .what = plan.what, .costs = evidence.costs};
  change.costs.consumer = {.cpu_ms = plan.work_ms, .off_ms = 0};
  const double now = verdict.examples_per_s;
  return trial_of(evidence, verdict, change,
                  {plan.examples_per_s / now, plan.low / now, plan.high / now},
                  verdict.alternatives);
}

std::optional<Trial> headroom_trial(const Evidence& evidence, const Verdict& verdict) {
  const Costs& costs = evidence.costs;
  if (!names_a_limit(verdict) || costs.consumer.service_ms() < 0.01) return std::nullopt;
  Change change{.set = "", .what = "the consumer did no work", .costs = costs};
  change.costs.consumer = {};
  const std::vector<Bound> bounds = bounds_of(costs);
  std::vector<Bound> limits;
  for (const Bound& bound : bounds) {
    const bool named = std::find(verdict.nodes.begin(), verdict.nodes.end(),
                                 costs.nodes.empty() || bound.resource != Resource::kSlots
                                     ? limit_name(bound.resource)
                                     : costs.nodes[bound.node].facts.id) != verdict.nodes.end();
    if (named || limit_name(bound.resource) == verdict.limit) {
      if (bound.resource != Resource::kSlots || named) limits.push_back(bound);
    }
  }
  const double residual = verdict.model_examples_per_s / verdict.examples_per_s - 1;
  return trial_of(evidence, verdict, change, gain_of(costs, change, evidence.rate_error, residual),
                  alternatives_to(costs, bounds, limits, change));
}

Measured combined(const std::vector<Measured>& runs) {
  Measured mean;
  if (runs.empty()) return mean;
  const auto n = static_cast<double>(runs.size());
  double low = INFINITY, high = 0;
  for (const Measured& run : runs) {
    mean.examples_per_s += run.examples_per_s / n;
    mean.error += run.error / n;
    mean.wait_ms += run.wait_ms / n;
    mean.work_ms += run.work_ms / n;
    mean.wait_p50_ms += run.wait_p50_ms / n;
    mean.wait_p95_ms += run.wait_p95_ms / n;
    mean.skipped += run.skipped;
    low = std::min(low, run.examples_per_s);
    high = std::max(high, run.examples_per_s);
  }
  if (mean.examples_per_s > 0) {
    mean.error = std::max(mean.error, (high - low) / 2 / mean.examples_per_s);
  }
  return mean;
}

TrialResult interpret(const Trial& trial, double predicted_from, const Measured& before,
                      const Measured& after) {
  TrialResult result;
  if (before.examples_per_s <= 0 || predicted_from <= 0) {
    result.text = "Nothing was measured to compare with.";
    return result;
  }
  result.ratio = after.examples_per_s / before.examples_per_s;
  result.error =
      std::max(kLeastError, std::sqrt(before.error * before.error + after.error * after.error));
  const double low = result.ratio * (1 - result.error), high = result.ratio * (1 + result.error);
  const auto fits = [&](const Expectation& expectation) {
    return low <= expectation.high / predicted_from && high >= expectation.low / predicted_from;
  };
  const auto distance = [&](const Expectation& expectation) {
    return std::abs(expectation.examples_per_s / predicted_from - result.ratio);
  };
  bool other = false;
  for (size_t i = 0; i < trial.alternatives.size(); ++i) {
    if (!fits(trial.alternatives[i])) continue;
    if (!other ||
        distance(trial.alternatives[i]) < distance(trial.alternatives[result.alternative])) {
      result.alternative = i;
    }
    other = true;
  }
  if (fits(trial.hypothesis)) {
    result.finding = other ? Finding::kUndecided : Finding::kHolds;
  } else {
    result.finding = other ? Finding::kAlternative : Finding::kNeither;
  }
  result.text = words_of(trial, result);
  return result;
}

}  // namespace penstock
