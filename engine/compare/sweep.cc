#include "compare/sweep.h"

#include <algorithm>

#include "compare/statistics.h"
#include "diagnose/facts.h"

namespace penstock {
namespace {

/// The key of the curves' axis.
std::optional<size_t> axis_of(const std::vector<Vary>& keys) {
  for (size_t i = keys.size(); i-- > 0;) {
    const bool numbers = std::all_of(keys[i].values.begin(), keys[i].values.end(),
                                     [](const std::string& v) { return number_of(v).has_value(); });
    if (is_setting(keys[i].key) && numbers && keys[i].values.size() > 1) return i;
  }
  return std::nullopt;
}

using Values = std::vector<std::optional<std::string>>;

/// The row's values without that of the axis.
Values others_of(const SweepRow& row, size_t axis) {
  Values others = row.values;
  others[axis] = std::nullopt;
  return others;
}

/// Whether the serial run did the same work: its values are those of the keys that are work.
bool same_work(const SweepRow& serial, const Values& others) {
  for (size_t i = 0; i < others.size(); ++i) {
    if (serial.values[i] && serial.values[i] != others[i]) return false;
  }
  return true;
}

void find_stops(const Sweep& sweep, Curve* curve) {
  std::vector<double> measured, predicted;
  for (const size_t run : curve->runs) {
    measured.push_back(sweep.runs[run].report->examples_per_s);
    if (sweep.runs[run].predicted) {
      predicted.push_back(sweep.runs[run].predicted->examples_per_s);
    }
  }
  curve->stops = where_rise_stops(measured, kNoGain);
  if (predicted.size() == measured.size()) {
    curve->predicted = where_rise_stops(predicted, kNoGain);
  }
  curve->falls =
      measured.back() < *std::max_element(measured.begin(), measured.end()) * (1 - kNoGain);
}

double position(const Sweep& sweep, size_t run, size_t axis) {
  return number_of(*sweep.runs[run].row.values[axis]).value_or(0);
}

}  // namespace

std::vector<Curve> curves_of(const Sweep& sweep) {
  const auto axis = axis_of(sweep.keys);
  if (!axis) return {};
  std::vector<Curve> curves;
  std::vector<Values> others;
  for (size_t i = 0; i < sweep.runs.size(); ++i) {
    const SweepRun& run = sweep.runs[i];
    if (run.row.serial || !run.report) continue;
    const Values key = others_of(run.row, *axis);
    const auto found = std::find(others.begin(), others.end(), key);
    const auto curve = static_cast<size_t>(found - others.begin());
    if (curve == others.size()) {
      others.push_back(key);
      curves.push_back({.key = *axis});
    }
    curves[curve].runs.push_back(i);
  }
  for (size_t c = 0; c < curves.size(); ++c) {
    Curve& curve = curves[c];
    std::stable_sort(curve.runs.begin(), curve.runs.end(), [&](size_t a, size_t b) {
      return position(sweep, a, *axis) < position(sweep, b, *axis);
    });
    for (size_t i = 0; i < sweep.runs.size(); ++i) {
      const SweepRun& run = sweep.runs[i];
      if (run.row.serial && run.report && same_work(run.row, others[c])) curve.serial = i;
    }
    find_stops(sweep, &curve);
  }
  return curves;
}

Prediction predict_setting(const Costs& serial, const Plan& plan, const Machine& machine) {
  const auto threads = static_cast<int>(plan.spec().threads.value_or(machine.threads));
  return predict(serial, with_setting(serial, facts_of(plan),
                                      machine_facts(machine.cpus, machine.quota, threads, false)));
}

}  // namespace penstock
