#include "attribution/summary.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "measurement.h"

namespace penstock::bench::attribution {
namespace {

using Json = nlohmann::ordered_json;
using Scores = std::vector<Score>;
using Test = std::function<bool(const Score&)>;

Scores those(const Scores& scores, const Test& test) {
  Scores list;
  std::copy_if(scores.begin(), scores.end(), std::back_inserter(list), test);
  return list;
}

/// Null of an empty list.
Json share(const Scores& scores, const Test& test) {
  if (scores.empty()) return nullptr;
  const auto count = std::count_if(scores.begin(), scores.end(), test);
  return static_cast<double>(count) / static_cast<double>(scores.size());
}

Json mean(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

bool is_right(const Score& score) { return score.right; }

std::vector<double> regrets(const Scores& scores) {
  std::vector<double> list;
  for (const Score& score : scores) {
    if (score.regret) list.push_back(*score.regret);
  }
  return list;
}

Json gains(const Scores& scores) {
  std::vector<double> errors;
  size_t covered = 0;
  for (const Score& score : scores) {
    if (!score.predicted || !score.measured || *score.measured <= 0) continue;
    errors.push_back(std::abs(*score.predicted / *score.measured - 1));
    covered += score.covered ? 1 : 0;
  }
  if (errors.empty()) return nullptr;
  std::sort(errors.begin(), errors.end());
  const auto at = [&errors](double q) {
    return errors[std::min(errors.size() - 1, static_cast<size_t>(q * double(errors.size())))];
  };
  return {{"count", errors.size()},
          {"median_error", median(errors)},
          {"p95_error", at(0.95)},
          {"in_interval", static_cast<double>(covered) / static_cast<double>(errors.size())}};
}

Json confidence_curve(const Scores& counting) {
  auto curve = Json::array();
  for (const double least : {0.0, 0.5, 0.7, kConfident, 0.85, 0.9, 0.95}) {
    const Scores sure = those(counting, [least](const Score& score) {
      return !score.abstains && score.confidence >= least;
    });
    curve.push_back(
        {{"confidence", least},
         {"coverage",
          counting.empty() ? Json(nullptr) : Json(double(sure.size()) / double(counting.size()))},
         {"right", share(sure, is_right)}});
  }
  return curve;
}

/// Names that were false, among pipelines that no node is to be blamed for, as it was found.
bool false_name(const Score& score) { return score.names_something() && !score.right; }

bool blames_nothing(const Score& score) {
  return score.tied.contains("none") || score.tied.contains("consumer");
}

Json classes(const Scores& counting) {
  std::set<std::string> names;
  for (const Score& score : counting) names.insert(score.planted);
  Json list;
  for (const std::string& name : names) {
    const Scores of = those(counting, [&name](const Score& s) { return s.planted == name; });
    std::map<std::string, int> limits;
    for (const Score& score : of) ++limits[score.limit];
    list[name] = {{"count", of.size()},
                  {"right", share(of, is_right)},
                  {"abstains", share(of, [](const Score& s) { return s.abstains; })},
                  {"regret", mean(regrets(of))},
                  {"limits", limits}};
  }
  return list;
}

Json baselines(const Scores& counting) {
  std::set<std::string> rules;
  for (const Score& score : counting) {
    for (const auto& [rule, right] : score.baselines) rules.insert(rule);
  }
  const Scores limited =
      those(counting, [](const Score& score) { return !score.tied.contains("none"); });
  Json list;
  for (const std::string& rule : rules) {
    const auto right = [&rule](const Score& score) { return score.baselines.at(rule); };
    list[rule] = {{"right", share(counting, right)},
                  {"right_where_limited", share(limited, right)}};
  }
  list["verdict"] = {{"right", share(counting, is_right)},
                     {"right_where_limited", share(limited, is_right)}};
  return list;
}

Json wrong_ones(const Scores& counting) {
  auto list = Json::array();
  for (const Score& score : counting) {
    if (score.right) continue;
    list.push_back({{"seed", score.seed},
                    {"planted", score.planted},
                    {"limit", score.limit},
                    {"named", score.named},
                    {"confidence", score.confidence},
                    {"best", score.tied},
                    {"best_gain", score.best_gain},
                    {"measured", score.measured ? Json(*score.measured) : Json(nullptr)}});
  }
  return list;
}

}  // namespace

Json summary_of(const Scores& scores) {
  const Scores counting = those(scores, [](const Score& score) { return score.counts; });
  const Scores answered = those(counting, [](const Score& score) { return !score.abstains; });
  const Scores sure =
      those(answered, [](const Score& score) { return score.confidence >= kConfident; });
  const Scores blameless = those(counting, blames_nothing);
  std::vector<double> sizes, widths;
  for (const Score& score : counting) {
    sizes.push_back(static_cast<double>(score.tied.size()));
    widths.push_back(score.half_width);
  }
  std::map<std::string, int> discarded;
  for (const Score& score : scores) {
    if (!score.counts) ++discarded[score.why_not];
  }
  Json json;
  json["pipelines"] = scores.size();
  json["counting"] = counting.size();
  json["counting_none_or_consumer"] = blameless.size();
  json["planted_none_or_consumer"] =
      those(counting, [](const Score& score) {
        return score.planted == "none" || score.planted == "consumer";
      }).size();
  json["discarded"] = discarded;
  json["tie_set_mean"] = mean(sizes);
  json["half_width_mean"] = mean(widths);
  json["right"] = share(counting, is_right);
  json["right_alone"] = share(counting, [](const Score& score) { return score.right_alone; });
  json["answered"] = share(counting, [](const Score& score) { return !score.abstains; });
  json["right_where_answered"] = share(answered, is_right);
  json["confident"] = {
      {"threshold", kConfident},
      {"coverage",
       share(counting,
             [](const Score& score) { return !score.abstains && score.confidence >= kConfident; })},
      {"right", share(sure, is_right)}};
  json["false_names"] = share(blameless, false_name);
  json["regret_mean"] = mean(regrets(counting));
  json["gain"] = gains(counting);
  json["classes"] = classes(counting);
  json["baselines"] = baselines(counting);
  json["curve"] = confidence_curve(counting);
  json["wrong"] = wrong_ones(counting);
  return json;
}

}  // namespace penstock::bench::attribution
