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

/// Whether any service, or the consumer's work, differs from its mean: only then can a model say
/// more than the bounds.
bool varies(const Costs& costs);

/// One node with so many slots.
Change with_slots(const Costs& costs, size_t node, int slots);
/// So many CPU threads.
Change with_threads(const Costs& costs, int threads);
/// One node, or the consumer, in half the time.
Change with_faster_node(const Costs& costs, size_t node);
Change with_faster_consumer(const Costs& costs);
/// Memory for so many outputs of a node at a time; it must have the setting.
Change with_places(const Costs& costs, size_t node, int places);
/// Half the bytes over the link of a node that copies to a device.
Change with_less_to_copy(const Costs& costs, size_t node);

/// The change that takes a limit away as far as the next one.
/// `next`: the rate at which something else limits, in batches a second.
Change remedy_for(const Costs& costs, const Bound& limit, double next);
/// The lowest bound beside these, at most twice the lowest of all; that where there is none.
double next_rate(const std::vector<Bound>& bounds, const std::vector<Bound>& limits);

/// The change to try: the remedy where it is a setting, else one that only another limit would
/// answer to. Nothing where there is none.
std::optional<Change> trial_for(const Costs& costs, const Bound& limit, double next);

/// Rate after a change / before: by the model, or by the bounds where nothing varies and they leave
/// no more than 3 % of the rate open (`residual`). `error`, of the rate, and `residual` widen the
/// interval.
Gain gain_of(const Costs& costs, const Change& change, double error, double residual);
/// The gain with its interval widened by the rate's error and what the model leaves open.
Gain widened(Gain gain, double error, double residual);

/// The two other explanations that are told apart best by `trial`, with the rate that each predicts
/// for it: that resource alone limits, and `trial` changes it as it does.
std::vector<Alternative> alternatives_to(const Costs& costs, const std::vector<Bound>& bounds,
                                         const std::vector<Bound>& limits,
                                         const std::optional<Change>& trial);

}  // namespace penstock
