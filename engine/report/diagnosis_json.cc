#include <nlohmann/json.hpp>

#include "penstock/plugin.h"
#include "report/diagnosis.h"
#include "report/failure.h"
#include "report/verdict_format.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Expectation& expectation) {
  return {{"limit", expectation.limit},
          {"nodes", expectation.nodes},
          {"examples_per_s",
           {{"value", expectation.examples_per_s},
            {"low", expectation.low},
            {"high", expectation.high}}},
          {"wait_ms", expectation.wait_ms},
          {"work_ms", expectation.work_ms}};
}

Json json_of(const Trial& trial) {
  Json alternatives = Json::array();
  for (const Expectation& other : trial.alternatives) alternatives.push_back(json_of(other));
  return {{"set", trial.set.empty() ? Json(nullptr) : Json(trial.set)},
          {"what", trial.what},
          {"hypothesis", json_of(trial.hypothesis)},
          {"alternatives", alternatives}};
}

Json json_of(const Measured& measured) {
  return {
      {"examples_per_s", measured.examples_per_s},
      {"rate_error", measured.error > 0 ? Json(measured.error) : Json(nullptr)},
      {"wait_ms",
       {{"mean", measured.wait_ms}, {"p50", measured.wait_p50_ms}, {"p95", measured.wait_p95_ms}}},
      {"work_ms", {{"mean", measured.work_ms}}},
      {"skipped", measured.skipped}};
}

const char* name_of(Finding finding) {
  switch (finding) {
    case Finding::kHolds:
      return "holds";
    case Finding::kUndecided:
      return "undecided";
    case Finding::kAlternative:
      return "alternative";
    case Finding::kNeither:
      break;
  }
  return "neither";
}

Json json_of(const TrialRecord& record) {
  Json json = json_of(record.trial);
  json["before"] = record.before ? json_of(*record.before) : Json(nullptr);
  json["after"] = record.after ? json_of(*record.after) : Json(nullptr);
  json["result"] = nullptr;
  if (record.result) {
    json["result"] = {{"finding", name_of(record.result->finding)},
                      {"ratio", record.result->ratio},
                      {"ratio_error", record.result->error},
                      {"text", record.result->text}};
  }
  return json;
}

Json report_or_null(const std::optional<Report>& report) {
  return report ? Json::parse(format_json(*report)) : Json(nullptr);
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string format_json(const Diagnosis& diagnosis) {
  Json trials = Json::array();
  for (const TrialRecord& record : diagnosis.trials) trials.push_back(json_of(record));
  Json predicted = nullptr;
  if (diagnosis.predicted) {
    predicted = {{"examples_per_s", diagnosis.predicted->examples_per_s},
                 {"limit", diagnosis.predicted->limit},
                 {"nodes", diagnosis.predicted->nodes}};
  }
  Json json = {{"diagnosis", 1},
               {"status", diagnosis.status},
               {"penstock", kVersion},
               {"pipeline", diagnosis.pipeline},
               {"predicted", predicted},
               {"trials", trials},
               {"runs",
                {{"serial", report_or_null(diagnosis.serial)},
                 {"steady", report_or_null(diagnosis.steady)}}}};
  if (diagnosis.error) json["error"] = json_of(*diagnosis.error);
  return dump(json);
}

std::string format_predictions(const Diagnosis& diagnosis) {
  Json trials = Json::array();
  for (const TrialRecord& record : diagnosis.trials) trials.push_back(json_of(record.trial));
  return dump({{"predictions", 1},
               {"penstock", kVersion},
               {"pipeline", diagnosis.pipeline},
               {"plan", diagnosis.steady->plan},
               {"verdict", verdict_format::json_of(*diagnosis.steady->verdict)},
               {"trials", trials}});
}

}  // namespace penstock
