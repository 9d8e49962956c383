#pragma once
/// In which order long and short times follow each other. Pure.

#include <vector>

#include "diagnose/costs.h"
#include "measure/firing.h"

namespace penstock {

/// Times of consecutive firings as parts of their mean: `times` in the order they came, each
/// replaced by the quantile of `spread` that has its rank, since a whole run knows better how much
/// times vary and a record of some firings in which order they do. Empty for few times.
std::vector<double> trace_of(const std::vector<double>& times, const std::vector<double>& spread);

/// Fills in the traces of the nodes and of the consumer from recorded firings of the run. All are
/// of the same samples where the records allow it, since what is slow in one node may be slow in
/// the next, and bursts of two nodes may follow or meet each other.
void add_traces(const FiringLog& log, Costs* costs);

}  // namespace penstock
