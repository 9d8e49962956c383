#pragma once
/// How long jobs of a given length take with each run of a sweep: start-up against steady state.
/// All pure.

#include <array>
#include <cstdint>
#include <vector>

#include "compare/sweep.h"

namespace penstock {

/// The lengths that are told, in batches.
inline constexpr std::array<uint64_t, 3> kJobs = {20, 200, 20'000};

/// Seconds that a run would need for so many batches (at least 1) and the work on each: the time to
/// its first batch once, then a steady batch's wait and work for every further one.
double job_seconds(const Report& report, uint64_t batches);

/// From a length on, who is done first.
struct JobWinner {
  uint64_t from = 1;  ///< batches
  size_t run = 0;     ///< index of Sweep::runs
};

/// The winners of a curve, its serial run included, by length of the job from 1 batch to the last
/// of kJobs; each is another one than that before it, so that their `from` are the crossovers. Of
/// runs that differ by less than kNoGain the first wins: the serial one, then the lower setting.
/// Empty without runs that have a window.
std::vector<JobWinner> job_winners(const Sweep& sweep, const Curve& curve);

/// The winner at a length; `winners` must not be empty.
size_t winner_at(const std::vector<JobWinner>& winners, uint64_t batches);

}  // namespace penstock
