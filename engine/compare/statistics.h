#pragma once
/// Arithmetic of comparisons. All pure.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace penstock {

/// The middle value, or the mean of the two; 0 without values.
double median(std::vector<double> values);

/// B / A with its 95 % interval.
struct RatioEstimate {
  double value = 1;
  std::optional<double> low, high;  ///< nothing: fewer than two pairs, or a value that is not > 0

  /// Whether the interval leaves no doubt that B is above (below) A.
  bool surely_above() const { return low && *low > 1; }
  bool surely_below() const { return high && *high < 1; }
};

/// From pairs of runs that followed each other: exp of the mean of ln(b / a), with Student's t of
/// the pairs less one degree of freedom (Montgomery, "Design and Analysis of Experiments", section
/// on paired comparisons). Logarithms make B / A and A / B say the same. Where a value is 0 or
/// less, the ratio of the medians without an interval; nothing where A's median is 0 and B's is
/// not. Lists of different lengths are cut to the shorter one.
std::optional<RatioEstimate> paired_ratio(std::span<const double> a, std::span<const double> b);

/// Where a curve stops to rise: the first value that is within `tolerance` of the largest. Nothing
/// for an empty list.
std::optional<size_t> where_rise_stops(std::span<const double> rates, double tolerance);

}  // namespace penstock
