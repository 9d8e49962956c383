#include "compare/jobs.h"

#include <algorithm>

namespace penstock {
namespace {

/// Index of the first one that is about as short as the shortest.
size_t first_of_shortest(const std::vector<double>& seconds) {
  const double least = *std::min_element(seconds.begin(), seconds.end());
  const auto found = std::find_if(seconds.begin(), seconds.end(),
                                  [least](double each) { return each <= least * (1 + kNoGain); });
  return static_cast<size_t>(found - seconds.begin());
}

std::vector<size_t> contenders_of(const Sweep& sweep, const Curve& curve) {
  std::vector<size_t> contenders;
  if (curve.serial) contenders.push_back(*curve.serial);
  contenders.insert(contenders.end(), curve.runs.begin(), curve.runs.end());
  std::erase_if(contenders, [&sweep](size_t run) { return sweep.runs[run].report->batches == 0; });
  return contenders;
}

}  // namespace

double job_seconds(const Report& report, uint64_t batches) {
  const double work = report.work_ms.mean, steady = report.wait_ms.mean + work;
  const double first = std::max(0.0, report.first_batch_ms) + work;
  return (first + static_cast<double>(batches - 1) * steady) / 1e3;
}

std::vector<JobWinner> job_winners(const Sweep& sweep, const Curve& curve) {
  const std::vector<size_t> contenders = contenders_of(sweep, curve);
  std::vector<JobWinner> winners;
  if (contenders.empty()) return winners;
  std::vector<double> seconds(contenders.size());
  for (uint64_t batches = 1; batches <= kJobs.back(); ++batches) {
    for (size_t i = 0; i < contenders.size(); ++i) {
      seconds[i] = job_seconds(*sweep.runs[contenders[i]].report, batches);
    }
    const size_t run = contenders[first_of_shortest(seconds)];
    if (winners.empty() || winners.back().run != run) winners.push_back({batches, run});
  }
  return winners;
}

size_t winner_at(const std::vector<JobWinner>& winners, uint64_t batches) {
  size_t run = winners.front().run;
  for (const JobWinner& winner : winners) {
    if (winner.from <= batches) run = winner.run;
  }
  return run;
}

}  // namespace penstock
