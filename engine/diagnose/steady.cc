#include "diagnose/steady.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace penstock {
namespace {

constexpr size_t kGroup = 5;
constexpr size_t kMostMeans = 20;  // of the method of batch means
constexpr size_t kLeastMeans = 6;
constexpr size_t kLongestPeriod = 64;
constexpr double kPeriodic = 0.5;  // correlation of the values with those a period later

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Sum of squared distances from the mean.
double squares(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

/// Correlation of the values with those `lag` later.
double correlation(std::span<const double> values, size_t lag) {
  const double mean = mean_of(values), all = squares(values);
  double sum = 0;
  for (size_t i = lag; i < values.size(); ++i) sum += (values[i] - mean) * (values[i - lag] - mean);
  const auto n = static_cast<double>(values.size());
  return all > 0 ? sum / all * n / (n - static_cast<double>(lag)) : 0;
}

/// How many values make a period where they come in bursts, as from slots that finish together; 1
/// otherwise. A multiple of the period is hardly more alike, and a slow drift is most alike at 1.
size_t period_of(std::span<const double> values) {
  size_t period = 1;
  double most = std::max(kPeriodic, correlation(values, 1)) - 0.1;
  for (size_t lag = 2; lag <= kLongestPeriod && lag * kLeastMeans <= values.size(); ++lag) {
    const double alike = correlation(values, lag);
    if (alike <= most + 0.1) continue;
    most = alike;
    period = lag;
  }
  return period;
}

/// Means of `count` parts of about the same length, each of whole periods.
std::vector<double> means_of_parts(std::span<const double> values, size_t count, size_t period) {
  std::vector<double> means;
  const size_t periods = values.size() / period;
  for (size_t i = 0; i < count; ++i) {
    const size_t begin = periods * i / count * period, end = periods * (i + 1) / count * period;
    means.push_back(mean_of(values.subspan(begin, end - begin)));
  }
  return means;
}

/// 95 % quantile of Student's t, so that a two-sided interval covers 90 %.
double t_quantile(size_t freedom) {
  constexpr std::array<double, 20> kTable = {6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895,
                                             1.860, 1.833, 1.812, 1.796, 1.782, 1.771, 1.761,
                                             1.753, 1.746, 1.740, 1.734, 1.729, 1.725};
  return kTable[std::clamp<size_t>(freedom, 1, kTable.size()) - 1];
}

double seconds_between(int64_t begin_ns, int64_t end_ns) {
  return std::max(0.0, static_cast<double>(end_ns - begin_ns) / 1e9);
}

/// Milliseconds from batch to batch, of the records within (begin, end].
std::vector<double> intervals(const std::vector<BatchRecord>& batches, int64_t begin_ns,
                              int64_t end_ns) {
  std::vector<double> values;
  for (size_t i = 1; i < batches.size(); ++i) {
    if (batches[i - 1].at_ns < begin_ns || batches[i].at_ns > end_ns) continue;
    values.push_back(static_cast<double>(batches[i].at_ns - batches[i - 1].at_ns) / 1e6 /
                     static_cast<double>(batches[i].batches));
  }
  return values;
}

int64_t drained_ns(const Snapshot& mark, size_t unit) {
  return unit < mark.units.size() ? mark.units[unit].states.drained : 0;
}

/// The last state before every source had ended.
size_t before_drain(const RunLog& log, std::span<const size_t> sources) {
  size_t last = log.marks.size() - 1;
  const auto ended = [&](size_t unit) {
    return drained_ns(log.marks[last], unit) > drained_ns(log.marks[last - 1], unit);
  };
  while (last > 0 && !sources.empty() && std::all_of(sources.begin(), sources.end(), ended)) --last;
  return last;
}

std::string refusal_of(const SteadyPart& part) {
  if (part.phases.steady_batches < kLeastBatches) {
    return std::to_string(part.phases.steady_batches) + " steady batches of " +
           std::to_string(part.phases.batches) + " are too few for a verdict (" +
           std::to_string(kLeastBatches) + " or more)";
  }
  const MeanEstimate& interval = part.interval_ms;
  const bool drifts = interval.drift > kMostDrift;  // which makes the error large too
  if (interval.error < 0 || (!drifts && interval.error > kMostRateError * interval.mean)) {
    return "the batches come too unevenly to tell the rate within 10 %: let the run last longer";
  }
  return "";
}

}  // namespace

size_t mser5(std::span<const double> values) {
  const std::span whole = values.first(values.size() / kGroup * kGroup);
  if (whole.empty()) return 0;
  const std::vector<double> groups = means_of_parts(whole, whole.size() / kGroup, 1);
  size_t best = 0;
  double least = -1;
  for (size_t cut = 0; 3 * cut <= groups.size() && cut < groups.size(); ++cut) {
    const std::span rest = std::span(groups).subspan(cut);
    const auto n = static_cast<double>(rest.size());
    const double error = squares(rest) / (n * n);
    if (least >= 0 && error >= least) continue;
    least = error;
    best = cut;
  }
  return best * kGroup;
}

MeanEstimate estimate(std::span<const double> values) {
  MeanEstimate result;
  if (values.empty()) return result;
  result.mean = mean_of(values);
  // Parts of whole periods: a mean of a burst without the gap behind it says nothing.
  const size_t period = period_of(values);
  const size_t periods = values.size() / period;
  if (period > 1) values = values.last(periods * period);
  const size_t shortest = period > 1 ? 1 : 3;  // periods in a part
  const size_t count = std::min(kMostMeans, periods / shortest) / 2 * 2;
  if (count < kLeastMeans) return result;
  const std::vector<double> means = means_of_parts(values, count, period);
  const auto n = static_cast<double>(count);
  result.error = t_quantile(count - 1) * std::sqrt(squares(means) / (n * (n - 1)));
  const std::span first = std::span(means).first(count / 2);
  const std::span second = std::span(means).last(count / 2);
  const double difference = std::abs(mean_of(first) - mean_of(second));
  const double spread = (squares(first) + squares(second)) / (n - 2);
  if (difference > t_quantile(count - 2) * std::sqrt(spread * 4 / n)) {
    result.drift = difference / std::min(mean_of(first), mean_of(second));
  }
  return result;
}

size_t change_point(std::span<const double> values) {
  size_t best = values.size() / 2;
  double least = -1;
  for (size_t cut = std::max<size_t>(1, values.size() / 5); 5 * cut <= 4 * values.size(); ++cut) {
    const double left = squares(values.first(cut)) + squares(values.subspan(cut));
    if (least >= 0 && left >= least) continue;
    least = left;
    best = cut;
  }
  return best;
}

size_t change_mark(const RunLog& log, const SteadyPart& part) {
  const int64_t begin = log.marks[part.first].now, end = log.marks[part.last].now;
  const std::vector<double> values = intervals(log.batches, begin, end);
  double ms = 0;
  const size_t cut = change_point(values);
  for (size_t i = 0; i < cut; ++i) ms += values[i];
  double all = 0;
  for (const double value : values) all += value;
  const double part_of_all = all > 0 ? ms / all : 0.5;
  const int64_t wanted =
      begin + static_cast<int64_t>(part_of_all * static_cast<double>(end - begin));
  size_t mark = part.first + 1;
  while (mark + 1 < part.last && log.marks[mark].now < wanted) ++mark;
  return mark;
}

SteadyPart part_between(const RunLog& log, size_t first, size_t last) {
  SteadyPart part;
  part.first = first;
  part.last = last;
  const Snapshot& begin = log.marks[first];
  const Snapshot& end = log.marks[last];
  part.phases.steady_batches = end.consumer.batches - begin.consumer.batches;
  part.phases.steady_s = seconds_between(begin.now, end.now);
  part.interval_ms = estimate(intervals(log.batches, begin.now, end.now));
  return part;
}

SteadyPart find_steady(const RunLog& log, std::span<const size_t> sources) {
  SteadyPart part;
  if (log.marks.size() < 2 || log.batches.empty()) {
    part.refusal = "the run was too short for a verdict";
    return part;
  }
  const size_t last = before_drain(log, sources);
  const int64_t end_ns = log.marks[last].now;
  const std::vector<double> values = intervals(log.batches, 0, end_ns);
  // Value i is the time up to record i + 1: the steady part begins with the arrival before it.
  const int64_t wanted = log.batches[std::min(mser5(values), log.batches.size() - 1)].at_ns;
  size_t first = 0;
  while (first < last && log.marks[first].now < wanted) ++first;
  part = part_between(log, first, last);
  RunPhases& phases = part.phases;
  const Snapshot& begin = log.marks[first];
  phases.startup_s =
      seconds_between(0, std::max<int64_t>(0, log.marks[last].consumer.first_batch_ns));
  phases.ramp_s = std::max(0.0, seconds_between(0, begin.now) - phases.startup_s);
  for (const BatchRecord& record : log.batches) phases.batches += record.batches;
  if (last + 1 < log.marks.size())
    phases.drain_s = seconds_between(end_ns, log.batches.back().at_ns);
  part.refusal = refusal_of(part);
  return part;
}

}  // namespace penstock
