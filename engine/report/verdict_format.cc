#include "report/verdict_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "diagnose/words.h"
#include "report/words.h"

namespace penstock::verdict_format {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLineWidth = 100;

/// "On the way to a batch: decode 60 %, consumer 30 %": the largest parts of the critical path.
std::string path_text(const Verdict& verdict) {
  constexpr size_t kShown = 3;
  std::string text;
  for (size_t i = 0; i < std::min(kShown, verdict.critical_path.size()); ++i) {
    const PathShare& part = verdict.critical_path[i];
    if (part.share < 0.01) break;
    text += fmt::format("{}{} {:.0f} %", i == 0 ? "On the way to a batch: " : ", ",
                        part.cause == "threads" ? "waiting for a thread" : fit(part.cause, 40),
                        part.share * 100);
  }
  return text.empty() ? text : text + ".";
}

std::string basis_text(const Verdict& verdict) {
  const RunPhases& phases = verdict.phases;
  std::string text = fmt::format(
      "Start-up {}, ramp {}, steady {} ({}), drain {}", duration_text(phases.startup_s * 1e3),
      duration_text(phases.ramp_s * 1e3), duration_text(phases.steady_s * 1e3),
      count_text(phases.steady_batches, "batch", "batches"), duration_text(phases.drain_s * 1e3));
  if (verdict.rate_error > 0) text += fmt::format("; rate +-{:.1f} %", verdict.rate_error * 100);
  if (verdict.confidence > 0) text += fmt::format("; confidence {:.2f}", verdict.confidence);
  return text + ".";
}

Json json_of(const Gain& gain) {
  return {{"value", gain.value}, {"low", gain.low}, {"high", gain.high}};
}

Json json_of(const NextLimit& next) {
  return {{"limit", next.limit}, {"nodes", next.nodes}, {"headroom", next.headroom}};
}

Json json_of(const Alternative& alternative) {
  return {{"limit", alternative.limit},
          {"nodes", alternative.nodes},
          {"reason", alternative.reason},
          {"examples_per_s", alternative.examples_per_s}};
}

Json json_of(const ExperimentPlan& plan) {
  return {
      {"set", plan.set},
      {"what", plan.what},
      {"examples_per_s", {{"value", plan.examples_per_s}, {"low", plan.low}, {"high", plan.high}}},
      {"wait_ms", plan.wait_ms},
      {"work_ms", plan.work_ms}};
}

Json json_of(const RunPhases& phases) {
  return {{"startup_s", phases.startup_s}, {"ramp_s", phases.ramp_s},
          {"steady_s", phases.steady_s},   {"drain_s", phases.drain_s},
          {"batches", phases.batches},     {"steady_batches", phases.steady_batches}};
}

Json json_of(const PathShare& part) { return {{"cause", part.cause}, {"share", part.share}}; }

Json json_of(const BoundReport& bound) {
  return {{"limit", bound.limit},
          {"node", bound.node.empty() ? Json(nullptr) : Json(bound.node)},
          {"examples_per_s", bound.examples_per_s}};
}

/// Rates are 0 where they are not known.
Json known(double value) { return value > 0 ? Json(value) : Json(nullptr); }

template <typename T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? json_of(*value) : Json(nullptr);
}

}  // namespace

std::string headline(const Verdict& verdict) {
  return words::headline(verdict.limit, verdict.nodes);
}

std::string gain_text(const Verdict& verdict) {
  if (!verdict.gain || verdict.advice.empty()) return "";
  const Gain& gain = *verdict.gain;
  std::string text = fmt::format("If {}: {:.2f} x the rate ({:.2f} to {:.2f})", verdict.advice,
                                 gain.value, gain.low, gain.high);
  if (verdict.remedy) text += ", with --set " + *verdict.remedy;
  text += ".";
  if (!verdict.next) return text;
  const std::string next = words::headline(verdict.next->limit, verdict.next->nodes);
  text += verdict.next->headroom > 1.005
              ? fmt::format(
                    " Then the next limit is {}: it allows {:.2f} times what the present "
                    "limit allows.",
                    next, verdict.next->headroom)
              : fmt::format(" The next limit, {}, allows no more than the present one.", next);
  return text;
}

std::string text(const Verdict& verdict) {
  std::string text =
      wrap("verdict: " + headline(verdict), 0, kLineWidth) + wrap(verdict.reason, 2, kLineWidth);
  for (size_t i = 0; i < verdict.by_phase.size(); ++i) {
    const Verdict& part = verdict.by_phase[i];
    text +=
        wrap(fmt::format("{}: {}. {}", i == 0 ? "At first" : "Later", headline(part), part.reason),
             2, kLineWidth);
  }
  return text + wrap(gain_text(verdict), 2, kLineWidth) + wrap(path_text(verdict), 2, kLineWidth) +
         wrap(basis_text(verdict), 2, kLineWidth);
}

Json json_of(const Verdict& verdict) {
  Json phases = Json::array();
  for (const Verdict& phase : verdict.by_phase) phases.push_back(json_of(phase));
  return {{"limit", verdict.limit},
          {"nodes", verdict.nodes},
          {"confidence", verdict.confidence},
          {"remedy", verdict.remedy ? Json(*verdict.remedy) : Json(nullptr)},
          {"advice", verdict.advice},
          {"gain", or_null(verdict.gain)},
          {"next", or_null(verdict.next)},
          {"reason", verdict.reason},
          {"alternatives", list_of(verdict.alternatives)},
          {"experiment", or_null(verdict.experiment)},
          {"window", json_of(verdict.phases)},
          {"examples_per_s", known(verdict.examples_per_s)},
          {"rate_error", known(verdict.rate_error)},
          {"model", {{"examples_per_s", known(verdict.model_examples_per_s)}}},
          {"bounds", list_of(verdict.bounds)},
          {"critical_path", list_of(verdict.critical_path)},
          {"by_phase", phases}};
}

}  // namespace penstock::verdict_format
