#pragma once
/// Whether a verdict was right about one pipeline. Pure: from a line of the suite's file.

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace penstock::bench::attribution {

struct Score {
  uint64_t seed = 0;
  std::string planted, limit;  ///< class that was planted, `limit` of the verdict
  bool counts = false;         ///< the truth is known well enough
  std::string why_not;         ///< "error", "half-width"
  double half_width = 1;
  /// Answers that are as good as the best; "none" where the best may be less than 3 %.
  std::set<std::string> tied;
  std::vector<std::string> named;  ///< the verdict's answers, the first one foremost
  bool abstains = false;           ///< invalid or not stationary
  bool right = false;
  /// Right also if nothing but the single changes counts: the change that was advised is no answer,
  /// several together are none.
  bool right_alone = false;
  double confidence = 0;
  double best_gain = 1;
  std::optional<double> regret;               ///< gain of the best less that of what was advised
  std::optional<double> predicted, measured;  ///< gain of what was advised
  bool covered = false;                       ///< the measured gain lies in the predicted interval
  std::map<std::string, bool> baselines;      ///< by rule: named one of `tied`

  bool names_something() const { return !abstains && limit != "none"; }
};

Score score_of(const nlohmann::ordered_json& line);

/// The line with the verdict that the present rules give for the recorded costs. As it was where
/// the run gave none, or was judged in two parts.
nlohmann::ordered_json judged_again(const nlohmann::ordered_json& line);

}  // namespace penstock::bench::attribution
