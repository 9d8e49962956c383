#include "report/sweep_words.h"

#include <fmt/core.h>

#include "report/words.h"

namespace penstock::sweep_words {

std::string short_key(const std::string& key) {
  constexpr std::string_view kNodes = "nodes.", kParams = ".params.";
  std::string text = key.starts_with(kNodes) ? key.substr(kNodes.size()) : key;
  const size_t params = text.find(kParams);
  if (params != std::string::npos) text.erase(params, kParams.size() - 1);
  return text;
}

std::vector<std::string> values_of(const SweepRun& run) {
  std::vector<std::string> cells;
  for (const auto& value : run.row.values)
    cells.push_back(fit(value.value_or("serial"), kKeyWidth));
  return cells;
}

std::string label_of(const SweepRun& run) {
  std::string label;
  for (const std::string& value : values_of(run)) {
    if (!label.empty()) label += ", ";
    label += value;
  }
  const bool all_work = label.find("serial") == std::string::npos;
  return run.row.serial && all_work ? label + " serial" : label;
}

std::string fixed_text(const Sweep& sweep, const Curve& curve) {
  std::string text;
  const SweepRow& row = sweep.runs[curve.runs.front()].row;
  for (size_t i = 0; i < sweep.keys.size(); ++i) {
    if (i != curve.key && row.values[i]) {
      text += fmt::format("{}={}: ", short_key(sweep.keys[i].key), *row.values[i]);
    }
  }
  return text;
}

std::string value_at(const Sweep& sweep, const Curve& curve, size_t index) {
  return *sweep.runs[curve.runs[index]].row.values[curve.key];
}

}  // namespace penstock::sweep_words
