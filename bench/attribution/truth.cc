#include "attribution/truth.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "attribution/draw.h"
#include "measurement.h"

namespace penstock::bench::attribution {
namespace {

constexpr size_t kContenders = 3;
constexpr double kNear = 0.12;         // of the best gain, seen once, to be looked at again
constexpr double kLeastSpread = 2e-3;  // of a log ratio: what few rounds cannot show
constexpr size_t kParts = 4;  // of the first look, a run of the pipeline as it is around each
constexpr int kLeastRounds = 3, kMostRounds = 8;

/// 95 % quantile of Student's t, so that a two-sided interval covers 90 %.
double t_quantile(size_t freedom) {
  constexpr std::array<double, 20> kTable = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895,
                                             1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761,
                                             1.753, 1.746, 1.740, 1.734, 1.729, 1.725};
  return kTable[std::clamp<size_t>(freedom, 1, kTable.size()) - 1];
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

class Search {
 public:
  Search(const PipelineCase& pipeline, const Measure& measure)
      : pipeline_(pipeline), measure_(measure) {}

  /// Rate of the pipeline with these changes; 0 where it does not run.
  double rate(const std::vector<Change>& changes, bool brief = false) {
    ++runs_;
    return measure_(with(pipeline_, changes), brief).value_or(0);
  }
  int runs() const { return runs_; }

  std::vector<Effect> screen() {
    std::vector<Effect> effects;
    for (const Change& change : every_change(pipeline_)) {
      Effect effect;
      effect.changes = {change};
      effect.text = change.text();
      effects.push_back(std::move(effect));
    }
    Draw draw(pipeline_.seed);
    draw.shuffle(&effects);  // no change always follows the same one
    std::vector<double> rates, unchanged = {rate({}, true)};
    const size_t part = effects.size() / kParts + 1;
    for (size_t i = 0; i < effects.size(); ++i) {
      if (i % part == part - 1) unchanged.push_back(rate({}, true));
      rates.push_back(rate(effects[i].changes, true));
    }
    unchanged.push_back(rate({}, true));
    const double without = median(unchanged);
    for (size_t i = 0; i < effects.size(); ++i) {
      if (without > 0) effects[i].gain = effects[i].low = effects[i].high = rates[i] / without;
    }
    sort(&effects);
    return effects;
  }

  /// One log ratio for each of `effects`; false where something did not run.
  bool round(const std::vector<Effect*>& effects, std::vector<double>* logs) {
    double without = rate({});
    std::vector<double> sums(effects.size(), 0);
    for (size_t i = 0; i < effects.size(); ++i) sums[i] += rate(effects[i]->changes);
    for (size_t i = effects.size(); i-- > 0;) sums[i] += rate(effects[i]->changes);
    without += rate({});
    logs->clear();
    for (const double sum : sums) {
      if (sum <= 0 || without <= 0) return false;
      logs->push_back(std::log(sum / without));
    }
    return true;
  }

  static void sort(std::vector<Effect>* effects) {
    std::stable_sort(effects->begin(), effects->end(),
                     [](const Effect& a, const Effect& b) { return a.gain > b.gain; });
  }

 private:
  const PipelineCase& pipeline_;
  const Measure& measure_;
  int runs_ = 0;
};

/// The best one, and those near it; one of each answer comes first, since two changes of one node
/// need no telling apart.
std::vector<Effect> contenders(const std::vector<Effect>& screened) {
  std::vector<Effect> chosen;
  const auto is_there = [&chosen](const Effect& effect) {
    return std::any_of(chosen.begin(), chosen.end(), [&effect](const Effect& other) {
      return other.changes.front().answer() == effect.changes.front().answer();
    });
  };
  for (const Effect& effect : screened) {
    if (chosen.size() == kContenders || effect.gain < screened.front().gain - kNear) break;
    if (!is_there(effect)) chosen.push_back(effect);
  }
  return chosen;
}

bool is_settled(const std::vector<Effect>& effects) {
  const auto best =
      std::max_element(effects.begin(), effects.end(),
                       [](const Effect& a, const Effect& b) { return a.gain < b.gain; });
  if ((best->high - best->low) / 2 > kHalfWidth) return false;
  if (best->high < 1 + kLeastGain) return true;
  return best->low > 1 + kLeastGain &&
         std::none_of(effects.begin(), effects.end(), [&best](const Effect& effect) {
           return &effect != &*best && effect.high >= best->low;
         });
}

/// The contenders take part, `extra` too where it is another change.
void repeat(double deadline_ns, Search* search, std::vector<Effect>* effects,
            std::optional<Effect>* extra) {
  std::vector<Effect*> taking_part;
  for (Effect& effect : *effects) taking_part.push_back(&effect);
  if (*extra) taking_part.push_back(&**extra);
  Rounds rounds;
  rounds.logs.resize(taking_part.size());
  std::vector<double> logs;
  for (int round = 0; round < kMostRounds; ++round) {
    if (round > 0 && static_cast<double>(wall_now()) > deadline_ns) break;
    if (!search->round(taking_part, &logs)) break;
    for (size_t i = 0; i < logs.size(); ++i) rounds.logs[i].push_back(logs[i]);
    std::vector<Effect> all;
    for (const Effect* effect : taking_part) all.push_back(*effect);
    estimate_effects(rounds, &all);
    for (size_t i = 0; i < all.size(); ++i) *taking_part[i] = all[i];
    if (round + 1 >= kLeastRounds && is_settled(*effects)) break;
  }
}

}  // namespace

void estimate_effects(const Rounds& rounds, std::vector<Effect>* effects) {
  double squares = 0;
  size_t freedom = 0;
  for (const std::vector<double>& logs : rounds.logs) {
    const double mean = mean_of(logs);
    for (const double log : logs) squares += (log - mean) * (log - mean);
    if (!logs.empty()) freedom += logs.size() - 1;
  }
  const double spread =
      freedom > 0 ? std::max(kLeastSpread, std::sqrt(squares / static_cast<double>(freedom))) : 1;
  for (size_t i = 0; i < effects->size() && i < rounds.logs.size(); ++i) {
    const std::vector<double>& logs = rounds.logs[i];
    if (logs.empty()) continue;
    const double mean = mean_of(logs);
    const double width = t_quantile(freedom) * spread / std::sqrt(double(logs.size()));
    Effect& effect = (*effects)[i];
    effect.gain = std::exp(mean);
    effect.low = std::exp(mean - width);
    effect.high = std::exp(mean + width);
    effect.rounds = static_cast<int>(logs.size());
  }
}

Truth find_truth(const PipelineCase& pipeline, const std::vector<Change>& advice, double seconds,
                 const Measure& measure) {
  const double deadline = static_cast<double>(wall_now()) + seconds * 1e9;
  Search search(pipeline, measure);
  const std::vector<Effect> screened = search.screen();
  Truth truth;
  std::vector<Effect> chosen = contenders(screened);
  if (!advice.empty()) {
    Effect remedy;
    remedy.changes = advice;
    for (const Change& change : advice) {
      remedy.text += (remedy.text.empty() ? "" : ", ") + change.text();
    }
    if (search.rate(advice, true) > 0) truth.remedy = remedy;  // else the plan refuses it
    for (const Effect& effect : chosen) {
      if (effect.text == remedy.text) truth.remedy.reset();
    }
    repeat(deadline, &search, &chosen, &truth.remedy);
    for (const Effect& effect : chosen) {
      if (effect.text == remedy.text) truth.remedy = effect;
    }
  } else {
    repeat(deadline, &search, &chosen, &truth.remedy);
  }
  truth.effects = chosen;
  for (const Effect& effect : screened) {
    const bool again = std::any_of(chosen.begin(), chosen.end(), [&effect](const Effect& other) {
      return other.text == effect.text;
    });
    if (!again) truth.effects.push_back(effect);
  }
  Search::sort(&truth.effects);
  for (const Effect& effect : truth.effects) {
    if (effect.rounds == 0) continue;
    truth.half_width = (effect.high - effect.low) / 2;
    break;
  }
  truth.runs = search.runs();
  return truth;
}

}  // namespace penstock::bench::attribution
