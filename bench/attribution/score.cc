#include "attribution/score.h"

#include <algorithm>
#include <cmath>

#include "attribution/evidence_json.h"
#include "attribution/observation.h"
#include "attribution/truth.h"
#include "diagnose/steady.h"
#include "report/verdict_format.h"

namespace penstock::bench::attribution {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMuchAlone = 0.10;

/// What an answer may be measured by.
enum class Yardstick : uint8_t {
  kSingle,   ///< the single changes that are always tried
  kAdvised,  ///< and what the verdict advised, which took part in the same rounds
};

bool repeated(const Json& effect) { return effect.contains("rounds"); }

const Json* best_of(const Json& effects) {
  const Json* best = nullptr;
  for (const Json& effect : effects) {
    if (repeated(effect) && (best == nullptr || effect["gain"] > (*best)["gain"])) best = &effect;
  }
  return best;
}

/// What was advised takes part where it is one change: not all that can be advised is tried anyway.
std::set<std::string> ties(const Json& effects, const Json& remedy, const Json& best,
                           Yardstick by) {
  std::set<std::string> tied;
  const double low = best["low"], least = 1 + kLeastGain;
  if (low < least) tied.insert("none");
  const auto add = [&](const Json& effect) {
    const double high = repeated(effect) ? effect["high"] : effect["gain"];
    if (high >= std::max(low, least)) tied.insert(effect["answer"].get<std::string>());
  };
  for (const Json& effect : effects) add(effect);
  if (by == Yardstick::kAdvised && !remedy.is_null() && remedy.contains("answer") &&
      repeated(remedy)) {
    add(remedy);
  }
  return tied;
}

/// What the verdict wants to be worked on, in the words of Change::answer().
std::vector<std::string> answers(const Json& verdict, const std::string& hungriest) {
  const std::string limit = verdict["limit"];
  std::vector<std::string> nodes = verdict["nodes"];
  if (limit == "cpu") return {hungriest};
  if (limit == "threads") return {"threads"};
  if (limit == "variance") return {"queues"};
  if (limit == "order" && !nodes.empty()) return {"order " + nodes.front()};
  if (limit == "none") return {"none"};
  for (std::string& node : nodes) {
    if (node == "cpu") node = hungriest;
  }
  return nodes;
}

/// The largest gain seen with any change that means one of these answers.
std::optional<double> gain_of(const Json& effects, const std::string& answer) {
  std::optional<double> most;
  for (const Json& effect : effects) {
    if (effect["answer"] == answer) most = std::max(most.value_or(0), effect["gain"].get<double>());
  }
  return most;
}

bool is_right(const Json& line, const Json& best, const Score& score,
              const std::set<std::string>& tied, Yardstick by) {
  const auto is_tied = [&tied](const std::string& name) { return tied.contains(name); };
  if (score.limit == "none") return is_tied("none");
  if (score.named.empty()) return false;
  if (score.limit != "co_limited") return is_tied(score.named.front());
  const bool named_one = std::any_of(score.named.begin(), score.named.end(), is_tied);
  if (by == Yardstick::kSingle) return named_one;
  // All of a list together must do what the best change does, and more than nothing; where one
  // change does much alone, the list must have it.
  const Json& remedy = line["remedy"];
  const double high = remedy.is_null() || !remedy.contains("high") ? 0 : double(remedy["high"]);
  return (named_one || score.best_gain < 1 + kMuchAlone) && high >= 1 + kLeastGain &&
         high >= best["low"];
}

void measure_advice(const Json& line, Score* score) {
  const Json& remedy = line["remedy"];
  if (score->limit == "none") {
    score->regret = score->best_gain - 1;
    return;
  }
  if (!remedy.is_null() && remedy.contains("rounds")) {
    score->measured = remedy["gain"].get<double>();
  } else if (!score->named.empty()) {
    score->measured = gain_of(line["effects"], score->named.front());
  }
  if (score->measured) score->regret = std::max(0.0, score->best_gain - *score->measured);
}

void compare_gain(const Json& verdict, const Json& line, Score* score) {
  if (verdict["gain"].is_null() || line["remedy"].is_null()) return;
  if (!line["remedy"].contains("rounds") || !score->measured) return;
  score->predicted = verdict["gain"]["value"].get<double>();
  score->covered = *score->measured >= verdict["gain"]["low"].get<double>() &&
                   *score->measured <= verdict["gain"]["high"].get<double>();
}

}  // namespace

Score score_of(const Json& line) {
  Score score;
  score.seed = line["seed"];
  score.planted = line["case"]["planted"];
  const Json* best = line.contains("effects") ? best_of(line["effects"]) : nullptr;
  if (best == nullptr) {
    score.why_not = "error";
    return score;
  }
  const Json& verdict = line["observed"]["verdict"];
  score.limit = verdict["limit"];
  score.confidence = verdict["confidence"];
  score.half_width = ((*best)["high"].get<double>() - (*best)["low"].get<double>()) / 2;
  score.best_gain = (*best)["gain"];
  score.counts = score.half_width <= kHalfWidth;
  if (!score.counts) score.why_not = "half-width";
  score.tied = ties(line["effects"], line["remedy"], *best, Yardstick::kAdvised);
  score.abstains = score.limit == "invalid" || score.limit == "not_stationary";
  for (const auto& [rule, name] : line["observed"]["baselines"].items()) {
    score.baselines[rule] = score.tied.contains(name.get<std::string>());
  }
  if (score.abstains) return score;
  score.named = answers(verdict, line["observed"]["hungriest"]);
  score.right = is_right(line, *best, score, score.tied, Yardstick::kAdvised);
  score.right_alone =
      is_right(line, *best, score, ties(line["effects"], line["remedy"], *best, Yardstick::kSingle),
               Yardstick::kSingle);
  measure_advice(line, &score);
  compare_gain(verdict, line, &score);
  return score;
}

Json judged_again(const Json& line) {
  if (!line.contains("observed") || !line["observed"].contains("evidence")) return line;
  if (line["observed"]["drift"] > kMostDrift) return line;
  const Evidence evidence = evidence_from(line["observed"]["evidence"]);
  const Verdict verdict = judge(evidence);
  const std::vector<Change> changes = advised(verdict, evidence.costs);
  Json changed = line;
  changed["observed"]["verdict"] = verdict_format::json_of(verdict);
  std::string text;
  for (const Change& change : changes) text += (text.empty() ? "" : ", ") + change.text();
  if (!line["remedy"].is_null() && line["remedy"]["change"] == text) return changed;
  changed["remedy"] = nullptr;
  for (const Json& effect : line["effects"]) {
    if (effect["change"] == text && repeated(effect)) changed["remedy"] = effect;
  }
  return changed;
}

}  // namespace penstock::bench::attribution
