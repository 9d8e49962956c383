#pragma once
/// What really limits a pipeline, by trying: the same pipeline with one change, run beside it.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "attribution/change.h"

namespace penstock::bench::attribution {

/// How a change was found to act: rate with it / rate without, and its 90 % interval. `rounds` 0:
/// from one run, which was enough to see that others do more.
struct Effect {
  std::vector<Change> changes;
  std::string text;
  double gain = 1, low = 1, high = 1;
  int rounds = 0;
};

/// Pairs of measurements of several changes, in rounds: each gives every change one log ratio.
struct Rounds {
  std::vector<std::vector<double>> logs;  ///< by change
};

/// Mean and 90 % interval of each change: Student's t with the spread pooled over all changes,
/// since the same machine disturbs them all.
void estimate_effects(const Rounds& rounds, std::vector<Effect>* effects);

struct Truth {
  std::vector<Effect> effects;   ///< of single changes, largest gain first
  std::optional<Effect> remedy;  ///< of what the verdict advised
  double half_width = 1;         ///< of the best one's interval
  int runs = 0;
};

/// Measures a rate, of a short run where `brief`; nothing where the run failed.
using Measure = std::function<std::optional<double>(const PipelineCase&, bool brief)>;

/// Every change once; then those that may be the best, and the advice, in rounds until the best
/// one's half-width is at most `kHalfWidth` and it is alone, or `seconds` are over. A round is the
/// pipeline, each change, each change in the opposite order, the pipeline: what drifts steadily
/// cancels.
Truth find_truth(const PipelineCase& pipeline, const std::vector<Change>& advice, double seconds,
                 const Measure& measure);

inline constexpr double kHalfWidth = 0.03;
/// A change that gains less is none.
inline constexpr double kLeastGain = 0.03;

}  // namespace penstock::bench::attribution
