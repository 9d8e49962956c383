#pragma once
/// Which part of a run speaks for all of it, and how well its rate is known. All pure.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/run_log.h"
#include "penstock/verdict.h"

namespace penstock {

inline constexpr uint64_t kLeastBatches = 30;
inline constexpr double kMostRateError = 0.10;
inline constexpr double kMostDrift = 0.05;

/// How many values at the front are not like the rest: MSER-5, the cut that makes the standard
/// error of the mean of what is left least, by groups of five and at most a third of all (White,
/// "An effective truncation heuristic for bias reduction in simulation output", 1997).
size_t mser5(std::span<const double> values);

/// A mean with half of its 90 % interval by the method of batch means (t quantiles), both in the
/// values' unit; an error below 0 where there are too few values to tell. `drift`: relative
/// difference of the halves' means, 0 where it is no more than chance at the same level.
struct MeanEstimate {
  double mean = 0;
  double error = -1;
  double drift = 0;
};
MeanEstimate estimate(std::span<const double> values);

/// Where a list is best cut in two of different level: the cut that leaves the least sum of squares
/// around the two means, with a fifth of the values at least on each side; half where there are
/// few.
size_t change_point(std::span<const double> values);

/// The steady part of a run between two of its states.
struct SteadyPart {
  size_t first = 0, last = 0;  ///< indices of RunLog::marks; equal: there is none
  RunPhases phases;
  MeanEstimate interval_ms;  ///< of a batch
  /// Why no rate can be told from it, in words; empty: it can. Not for a drift.
  std::string refusal;
};

/// Steady state begins where MSER-5 says, at the nearest kept state, and ends at the last state
/// before all sources had ended.  `sources`: indices of the units that have no in-edges.
SteadyPart find_steady(const RunLog& log, std::span<const size_t> sources);

/// The state nearest to where the rate changes within a part, between its first and last state.
size_t change_mark(const RunLog& log, const SteadyPart& part);

/// The same for a part of it, of which nothing is asked but that it has batches.
SteadyPart part_between(const RunLog& log, size_t first, size_t last);

}  // namespace penstock
