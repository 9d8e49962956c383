#include "report/sweep_jobs.h"

#include <fmt/core.h>

#include <algorithm>

#include "compare/jobs.h"
#include "report/sweep_words.h"

namespace penstock {
namespace {

std::string seconds_text(double seconds) { return duration_text(seconds * 1e3); }

/// "20,000".
std::string length_text(uint64_t batches) {
  std::string text = std::to_string(batches);
  for (auto at = std::ssize(text) - 3; at > 0; at -= 3) text.insert(static_cast<size_t>(at), ",");
  return text;
}

/// "serial", "produce.concurrency = 8".
std::string name_of(const Sweep& sweep, const Curve& curve, size_t run) {
  if (sweep.runs[run].row.serial) return "serial";
  const std::string& value = *sweep.runs[run].row.values[curve.key];
  return sweep_words::short_key(sweep.keys[curve.key].key) + " = " + value;
}

std::vector<std::string> cells_of(const SweepRun& run, const std::vector<JobWinner>& winners,
                                  size_t index) {
  const Report& report = *run.report;
  std::vector<std::string> cells = {sweep_words::label_of(run),
                                    duration_text(report.first_batch_ms),
                                    duration_text(report.wait_ms.mean + report.work_ms.mean)};
  for (const uint64_t batches : kJobs) {
    cells.push_back(seconds_text(job_seconds(report, batches)) +
                    (winner_at(winners, batches) == index ? " *" : "  "));
  }
  return cells;
}

}  // namespace

std::optional<Table> jobs_table(const Sweep& sweep) {
  const std::vector<Curve> curves = curves_of(sweep);
  if (curves.size() != 1) return std::nullopt;
  const std::vector<JobWinner> winners = job_winners(sweep, curves.front());
  if (winners.empty()) return std::nullopt;
  using enum Table::Align;
  Table table({kLeft, kRight, kRight, kRight, kRight, kRight});
  std::vector<std::string> head = {"", "first batch", "a batch"};
  for (const uint64_t batches : kJobs) head.push_back("job of " + length_text(batches) + "  ");
  table.row(std::move(head));
  for (size_t i = 0; i < sweep.runs.size(); ++i) {
    const SweepRun& run = sweep.runs[i];
    if (run.report && run.report->batches > 0) table.row(cells_of(run, winners, i));
  }
  return table;
}

std::string jobs_text(const Sweep& sweep, const Curve& curve) {
  const std::vector<JobWinner> winners = job_winners(sweep, curve);
  if (winners.empty() || curve.runs.size() + (curve.serial ? 1 : 0) < 2) return "";
  std::string text = sweep_words::fixed_text(sweep, curve);
  text += fmt::format("jobs of 1 to {} batches: done first is {}", length_text(kJobs.back()),
                      name_of(sweep, curve, winners.front().run));
  for (size_t i = 1; i < winners.size(); ++i) {
    text += fmt::format(", from {} on {}", length_text(winners[i].from),
                        name_of(sweep, curve, winners[i].run));
  }
  return text + (winners.size() == 1 ? ", whatever the length." : ".");
}

}  // namespace penstock
