#pragma once
/// What a sweep says of jobs of different lengths: start-up against steady state.

#include <optional>
#include <string>

#include "compare/sweep.h"
#include "report/words.h"

namespace penstock {

inline constexpr const char* kJobsLegend =
    "seconds for a job of so many batches: its first batch, then steady ones; * done first";

/// First batch, a steady batch and the time of each job, one row a run, the winners marked. Nothing
/// unless the sweep has exactly one curve: of several it would be long, and JSON has it.
std::optional<Table> jobs_table(const Sweep& sweep);

/// Who is done first with jobs of each length, and from what length on. Empty for a single run.
std::string jobs_text(const Sweep& sweep, const Curve& curve);

}  // namespace penstock
