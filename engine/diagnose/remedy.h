#pragma once
/// What to do about a limit, what it will bring, and one change that shows whether the limit was
/// named rightly. All pure.

#include <optional>
#include <string>
#include <vector>

#include "diagnose/bounds.h"
#include "diagnose/costs.h"
#include "penstock/verdict.h"

namespace penstock {

/// A change of the setting or of a cost.
struct Change {
  std::string set;   ///< as for --set; empty: nothing that a setting can do
  std::string what;  ///< in words, to follow "if": "decode had 3 slots"
  Costs costs;       ///< with the change
};

/// The change that takes a limit away as far as the next one.
Change remedy_for(const Costs& costs, const std::vector<Bound>& bounds, const Bound& limit);

/// The change to try: the remedy where it is a setting, else one that only another limit would
/// answer to. Nothing where there is none.
std::optional<Change> trial_for(const Costs& costs, const std::vector<Bound>& bounds,
                                const Bound& limit);

/// Rate after a change / before, by the bounds; `error` and `residual` widen the interval.
Gain gain_of(const Costs& costs, const Change& change, double error, double residual);

/// The two other explanations that are told apart best by `trial`, with the rate that each predicts
/// for it: that resource alone limits, and `trial` changes it as it does.
std::vector<Alternative> alternatives_to(const Costs& costs, const std::vector<Bound>& bounds,
                                         const std::vector<Bound>& limits,
                                         const std::optional<Change>& trial);

}  // namespace penstock
