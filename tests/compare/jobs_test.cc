#include "compare/jobs.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

#include "support/sweep_table.h"

namespace penstock {
namespace {

/// Milliseconds to the first batch, and of a steady one.
struct Times {
  double first = 0, wait = 0, work = 0;
};

/// The serial run, then one for each value of the setting, of which the last wins nothing.
Sweep sweep_of_times(std::vector<Times> rows) {
  rows.push_back({1e4, 1e4, 10});
  std::vector<std::string> slots;
  for (size_t i = 1; i < rows.size(); ++i) slots.push_back(std::to_string(1U << i));
  Sweep sweep = testing::sweep_of(slots, 1, std::vector<double>(slots.size(), 1));
  for (size_t i = 0; i < rows.size(); ++i) {
    Report& report = *sweep.runs[i].report;
    report.batches = 30;
    report.first_batch_ms = rows[i].first;
    report.wait_ms.mean = rows[i].wait;
    report.work_ms.mean = rows[i].work;
  }
  return sweep;
}

std::vector<std::pair<uint64_t, size_t>> winners_of(const std::vector<Times>& rows) {
  const Sweep sweep = sweep_of_times(rows);
  std::vector<std::pair<uint64_t, size_t>> winners;
  for (const JobWinner& winner : job_winners(sweep, curves_of(sweep).at(0))) {
    winners.emplace_back(winner.from, winner.run);
  }
  return winners;
}

using Winners = std::vector<std::pair<uint64_t, size_t>>;

TEST_CASE("a job pays the start once and a steady batch for each further one") {
  Report report;
  report.first_batch_ms = 280;
  report.wait_ms.mean = 1;
  report.work_ms.mean = 9;
  CHECK(job_seconds(report, 1) == doctest::Approx(0.289));
  CHECK(job_seconds(report, 20) == doctest::Approx(0.289 + 0.19));
}

TEST_CASE("what starts slowly and runs fast wins from the crossover on") {
  // 80 n ms against 300 + 10 n ms: the same time at 300 / 70 = 4.3 batches.
  CHECK(winners_of({{70, 70, 10}, {300, 0, 10}}) == Winners{{1, 0}, {5, 1}});
  // Three lines: the middle one wins in between.
  const std::vector<Times> rows = {{50, 50, 10}, {100, 20, 10}, {1000, 0, 10}};
  const Winners winners = winners_of(rows);
  REQUIRE(winners.size() == 3);
  CHECK(winners[1] == std::pair<uint64_t, size_t>{3, 1});
  CHECK(winners[2].second == 2);
  CHECK(winners[2].first > 40);
}

TEST_CASE("what is first at every length has no crossover") {
  CHECK(winners_of({{70, 70, 10}, {60, 0, 10}}) == Winners{{1, 1}});
}

TEST_CASE("of times that are the same the first row wins") {
  CHECK(winners_of({{70, 64, 8}, {70, 64, 7.9}, {70, 64.1, 8}}) == Winners{{1, 0}});
}

TEST_CASE("the winner at a length is the last that began before it") {
  const std::vector<JobWinner> winners = {{1, 4}, {30, 5}, {500, 6}};
  CHECK(winner_at(winners, 1) == 4);
  CHECK(winner_at(winners, 29) == 4);
  CHECK(winner_at(winners, 30) == 5);
  CHECK(winner_at(winners, 20'000) == 6);
}

TEST_CASE("runs without a window win nothing") {
  Sweep sweep = sweep_of_times({{70, 70, 10}, {60, 0, 10}});
  sweep.runs[1].report->batches = 0;
  CHECK(job_winners(sweep, curves_of(sweep).at(0)).at(0).run == 0);
  for (SweepRun& run : sweep.runs) run.report->batches = 0;
  CHECK(job_winners(sweep, curves_of(sweep).at(0)).empty());
}

}  // namespace
}  // namespace penstock
