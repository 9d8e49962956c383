#include "diagnose/steady.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace penstock;

namespace {

/// `count` values around `mean`, in a fixed pattern of +- `spread`.
std::vector<double> around(double mean, double spread, size_t count) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    values.push_back(mean + spread * std::sin(static_cast<double>(i) * 2.3));
  }
  return values;
}

std::vector<double> operator+(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

/// A log with a state after each batch; `drained`: the source ends after so many.
RunLog log_of(const std::vector<double>& intervals_ms, size_t drained = SIZE_MAX) {
  RunLog log;
  int64_t now = 0, ended = 0;
  for (size_t i = 0; i <= intervals_ms.size(); ++i) {
    Snapshot mark;
    mark.now = now;
    mark.consumer.batches = i;
    mark.consumer.first_batch_ns = i == 0 ? -1 : static_cast<int64_t>(intervals_ms[0] * 1e6);
    mark.units.resize(1);
    if (i > drained) ended += static_cast<int64_t>(intervals_ms[i - 1] * 1e6);
    mark.units[0].states.drained = ended;
    log.marks.push_back(mark);
    if (i == intervals_ms.size()) break;
    now += static_cast<int64_t>(intervals_ms[i] * 1e6);
    log.batches.push_back({now, 1, 4, 0, 0});
  }
  return log;
}

const std::vector<size_t> kSource = {0};

}  // namespace

TEST_CASE("MSER-5 cuts the start that is not like the rest, in groups of five") {
  CHECK(mser5({}) == 0);
  CHECK(mser5(around(10, 0, 40)) == 0);
  CHECK(mser5(around(40, 0, 10) + around(10, 0, 90)) == 10);
  CHECK(mser5(around(40, 0, 12) + around(10, 0, 88)) == 15);
  CHECK(mser5(around(10, 1, 60) + around(40, 1, 40)) <= 35);  // never more than about a third
}

TEST_CASE("a mean knows how well it is known, and whether it drifts") {
  const MeanEstimate even = estimate(around(10, 0, 60));
  CHECK(even.mean == doctest::Approx(10));
  CHECK(even.error == doctest::Approx(0));
  CHECK(even.drift == 0);
  CHECK(estimate(around(10, 1, 10)).error < 0);  // too few
  const MeanEstimate step = estimate(around(10, 0.1, 50) + around(12, 0.1, 50));
  CHECK(step.drift == doctest::Approx(0.2).epsilon(0.02));
  CHECK(estimate(around(10, 5, 100)).drift < 0.01);  // uneven, and the same throughout
}

TEST_CASE("batches that come in bursts have a rate that is known well") {
  // Four slots share a CPU and finish together: three short intervals, then a long one.
  std::vector<double> bursts;
  for (int i = 0; i < 54; ++i) bursts.push_back((i % 4 == 3 ? 280 : 3) + i % 5 * 0.1);
  const MeanEstimate estimated = estimate(bursts);
  CHECK(estimated.error >= 0);
  CHECK(estimated.error < 0.02 * estimated.mean);
  CHECK(estimated.drift == 0);
  // The same values in no order are known badly.
  std::vector<double> mixed = bursts;
  std::shuffle(mixed.begin(), mixed.end(), std::minstd_rand(1));
  CHECK(estimate(mixed).error > 0.1 * estimate(mixed).mean);
}

TEST_CASE("a list is cut where its level changes, not too near its ends") {
  CHECK(change_point(around(10, 0.1, 30) + around(12, 0.1, 70)) == 30);
  CHECK(change_point(around(10, 0.1, 70) + around(12, 0.1, 30)) == 70);
  CHECK(change_point(around(10, 0, 5) + around(12, 0, 95)) == 20);
  CHECK(change_point({}) == 0);
}

TEST_CASE("the interval of batch means follows Student's t") {
  // 18 values make 6 means: 1 1 1 3 3 3, their mean 2, their standard error sqrt(6 / 30).
  const std::vector<double> values = around(1, 0, 9) + around(3, 0, 9);
  CHECK(estimate(values).error == doctest::Approx(2.015 * std::sqrt(6.0 / 30)));
}

TEST_CASE("a run has start-up, ramp, steady state and drain") {
  const RunLog log = log_of(
      std::vector<double>{200} + around(30, 0, 10) + around(10, 0, 90) + around(5, 0, 9), 101);
  const SteadyPart part = find_steady(log, kSource);
  CHECK(part.refusal.empty());
  CHECK(part.phases.startup_s == doctest::Approx(0.2));
  CHECK(part.phases.ramp_s == doctest::Approx(0.3));
  CHECK(part.phases.steady_batches == 90);
  CHECK(part.phases.steady_s == doctest::Approx(0.9));
  CHECK(part.phases.drain_s == doctest::Approx(0.045));
  CHECK(part.interval_ms.mean == doctest::Approx(10));
}

TEST_CASE("too few or too uneven batches are refused") {
  CHECK(find_steady({}, kSource).refusal == "the run was too short for a verdict");
  CHECK(find_steady(log_of(around(10, 0, 20)), kSource).refusal ==
        "19 steady batches of 20 are too few for a verdict (30 or more)");
  std::vector<double> bursts;
  for (int i = 0; i < 60; ++i) bursts.push_back(i % 15 == 0 ? 100 : 1);
  CHECK(find_steady(log_of(bursts), kSource).refusal.find("too unevenly") != std::string::npos);
  CHECK(find_steady(log_of(around(10, 1, 60)), kSource).refusal.empty());
}
