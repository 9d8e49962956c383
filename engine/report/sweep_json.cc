#include <nlohmann/json.hpp>

#include "compare/jobs.h"
#include "penstock/plugin.h"
#include "report/failure.h"
#include "report/sweep_format.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

/// A value as it was given: a number where it is one, else a text.
Json value_json(const std::string& text) {
  const Json value = Json::parse(text, nullptr, false);
  return value.is_number() || value.is_boolean() ? value : Json(text);
}

Json set_json(const Sweep& sweep, const SweepRow& row) {
  Json set = Json::object();
  if (row.serial) set["workers"] = 0;
  for (size_t i = 0; i < sweep.keys.size(); ++i) {
    if (row.values[i]) set[sweep.keys[i].key] = value_json(*row.values[i]);
  }
  return set;
}

Json run_json(const Sweep& sweep, const SweepRun& run) {
  Json json = {{"set", set_json(sweep, run.row)}, {"predicted", nullptr}, {"report", nullptr}};
  if (run.predicted) {
    json["predicted"] = {{"examples_per_s", run.predicted->examples_per_s},
                         {"limit", run.predicted->limit},
                         {"nodes", run.predicted->nodes}};
  }
  if (run.report) json["report"] = Json::parse(format_json(*run.report));
  return json;
}

Json jobs_json(const Sweep& sweep, const Curve& curve) {
  const std::vector<JobWinner> winners = job_winners(sweep, curve);
  if (winners.empty()) return nullptr;
  Json lengths = Json::array(), from = Json::array();
  for (const uint64_t batches : kJobs) {
    const size_t run = winner_at(winners, batches);
    lengths.push_back({{"batches", batches},
                       {"run", run},
                       {"seconds", job_seconds(*sweep.runs[run].report, batches)}});
  }
  for (const JobWinner& winner : winners) {
    from.push_back({{"from", winner.from}, {"run", winner.run}});
  }
  return {{"lengths", lengths}, {"winners", from}};
}

Json curve_json(const Sweep& sweep, const Curve& curve) {
  const auto value = [&](const std::optional<size_t>& index) {
    if (!index) return Json(nullptr);
    return value_json(*sweep.runs[curve.runs[*index]].row.values[curve.key]);
  };
  // The last run says nothing of values behind it that were not run.
  const bool open = curve.stops && *curve.stops + 1 == curve.runs.size() &&
                    curve.runs.size() < sweep.keys[curve.key].values.size();
  return {{"key", sweep.keys[curve.key].key},
          {"runs", curve.runs},
          {"serial", curve.serial ? Json(*curve.serial) : Json(nullptr)},
          {"stops_at", open ? Json(nullptr) : value(curve.stops)},
          {"predicted_stop", value(curve.predicted)},
          {"jobs", jobs_json(sweep, curve)}};
}

}  // namespace

std::string format_json(const Sweep& sweep) {
  uint64_t skipped = 0;
  for (const SweepRun& run : sweep.runs) skipped += run.report ? run.report->errors_skipped : 0;
  Json vary = Json::array(), runs = Json::array(), curves = Json::array();
  for (const Vary& key : sweep.keys) vary.push_back(key.key);
  for (const SweepRun& run : sweep.runs) runs.push_back(run_json(sweep, run));
  for (const Curve& curve : curves_of(sweep)) curves.push_back(curve_json(sweep, curve));
  Json json = {{"sweep", 1},           {"status", sweep.status},
               {"penstock", kVersion}, {"pipeline", sweep.pipeline},
               {"vary", vary},         {"runs", runs},
               {"curves", curves},     {"skipped", skipped}};
  if (sweep.error) json["error"] = json_of(*sweep.error);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock
