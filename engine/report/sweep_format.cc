#include "report/sweep_format.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "report/skipped.h"
#include "report/sweep_jobs.h"
#include "report/sweep_words.h"
#include "report/verdict_format.h"
#include "report/words.h"

namespace penstock {

using sweep_words::fixed_text;
using sweep_words::kKeyWidth;
using sweep_words::label_of;
using sweep_words::short_key;
using sweep_words::value_at;
using sweep_words::values_of;

namespace {

constexpr size_t kLimitWidth = 22, kBarWidth = 36, kLineWidth = 100;

std::string limit_of(const Report& report) {
  return report.verdict ? fit(verdict_format::headline(*report.verdict), kLimitWidth) : "";
}

/// The slots that vary, or of all nodes where none do; 0 for a serial run.
std::string workers_of(const Sweep& sweep, const SweepRun& run) {
  if (run.row.serial) return "0";
  std::optional<double> varied;
  for (size_t i = 0; i < sweep.keys.size(); ++i) {
    if (!sweep.keys[i].key.ends_with(".concurrency") || !run.row.values[i]) continue;
    varied = varied.value_or(0) + number_of(*run.row.values[i]).value_or(0);
  }
  int slots = 0;
  for (const NodeReport& node : run.report->nodes) slots += node.concurrency;
  return fmt::format("{}", varied ? *varied : slots);
}

SkippedByNode skipped_in(const Sweep& sweep) {
  SkippedByNode skipped;
  for (const SweepRun& run : sweep.runs) {
    if (run.report) add_skipped(*run.report, &skipped);
  }
  return skipped;
}

std::string skipped_line(const Sweep& sweep) {
  const SkippedByNode skipped = skipped_in(sweep);
  if (skipped.empty()) return "";
  return fmt::format("warning: samples were skipped (on_error): {}. {}", skipped_text(skipped),
                     kSkippedMeaning);
}

std::vector<std::string> head_cells(const Sweep& sweep, bool skipped) {
  std::vector<std::string> cells;
  for (const Vary& vary : sweep.keys) cells.push_back(fit(short_key(vary.key), kKeyWidth));
  for (const char* name :
       {"workers", "ex/s", "wait_mean", "wait_p50", "wait_p95", "wait_max", "work", "wait_frac"}) {
    cells.emplace_back(name);
  }
  if (skipped) cells.emplace_back("skipped");
  return cells;
}

std::vector<std::string> cells_of(const Sweep& sweep, const SweepRun& run, bool skipped) {
  const Report& report = *run.report;
  std::vector<std::string> cells = values_of(run);
  cells.push_back(workers_of(sweep, run));
  cells.push_back(rate_text(report.examples_per_s));
  for (const double ms : {report.wait_ms.mean, report.wait_ms.p50, report.wait_ms.p95,
                          report.wait_ms.max, report.work_ms.mean}) {
    cells.push_back(fmt::format("{:.2f}", ms));
  }
  cells.push_back(fmt::format("{:.2f}", report.wait_fraction));
  if (skipped) cells.push_back(std::to_string(report.errors_skipped));
  return cells;
}

Table table_of(const Sweep& sweep) {
  const bool skipped = !skipped_in(sweep).empty();
  const std::vector<std::string> head = head_cells(sweep, skipped);
  Table table(std::vector<Table::Align>(head.size(), Table::Align::kRight));
  table.row(head);
  for (const SweepRun& run : sweep.runs) {
    if (run.report) table.row(cells_of(sweep, run, skipped));
  }
  return table;
}

size_t runs_done(const Sweep& sweep) {
  return static_cast<size_t>(std::count_if(sweep.runs.begin(), sweep.runs.end(),
                                           [](const SweepRun& run) { return run.report; }));
}

std::string head_text(const Sweep& sweep) {
  const size_t done = runs_done(sweep);
  std::string text = fit(sweep.pipeline, 40) + ": " + count_text(done, "run", "runs");
  if (done < sweep.runs.size()) text += fmt::format(" of {} ({})", sweep.runs.size(), sweep.status);
  text += sweep.batches ? fmt::format(", {} each", count_text(*sweep.batches, "batch", "batches"))
                        : fmt::format(", {:g} s each", sweep.seconds);
  return text + "\n";
}

/// A bar of the rate with a mark where it was predicted.
std::string bar_of(const SweepRun& run, double largest) {
  std::string bar(kBarWidth, ' ');
  const auto place = [largest](double rate) {
    const double part = largest > 0 ? rate / largest : 0;
    return static_cast<size_t>(std::lround(part * static_cast<double>(kBarWidth)));
  };
  std::fill_n(bar.begin(), std::min(kBarWidth, place(run.report->examples_per_s)), '#');
  if (run.predicted) {
    const size_t mark = place(run.predicted->examples_per_s);
    bar[std::clamp<size_t>(mark, 1, kBarWidth) - 1] = '|';
  }
  return "[" + bar + "]";
}

double largest_rate(const Sweep& sweep) {
  double largest = 0;
  for (const SweepRun& run : sweep.runs) {
    if (!run.report) continue;
    largest = std::max(largest, run.report->examples_per_s);
    if (run.predicted) largest = std::max(largest, run.predicted->examples_per_s);
  }
  return largest;
}

/// Prediction beside measurement; `bars`: with the rates as bars.
Table prediction_table(const Sweep& sweep, bool bars) {
  using enum Table::Align;
  Table table({kLeft, kRight, kRight, kRight, kLeft, kLeft});
  table.row({"", "ex/s", "predicted", "off", bars ? "# ex/s, | predicted" : "", "limit"});
  const double largest = largest_rate(sweep);
  for (const SweepRun& run : sweep.runs) {
    if (!run.report) continue;
    const bool known = run.predicted && run.predicted->examples_per_s > 0;
    const double rate = run.report->examples_per_s;
    table.row(
        {label_of(run), rate_text(rate), known ? rate_text(run.predicted->examples_per_s) : "",
         known ? fmt::format("{:+.1f} %", (rate / run.predicted->examples_per_s - 1) * 100) : "",
         bars ? bar_of(run, largest) : "", limit_of(*run.report)});
  }
  return table;
}

std::string stop_text(const Sweep& sweep, const Curve& curve) {
  const std::string name = short_key(sweep.keys[curve.key].key);
  const auto rate = [&](size_t index) {
    return sweep.runs[curve.runs[index]].report->examples_per_s;
  };
  const size_t stop = *curve.stops;
  std::string text = fixed_text(sweep, curve);
  if (curve.runs.size() == 1) return "";
  if (stop + 1 == curve.runs.size() && curve.runs.size() < sweep.keys[curve.key].values.size()) {
    text += fmt::format("no end of scaling seen up to {} = {}, the last value that was run", name,
                        value_at(sweep, curve, stop));
  } else if (stop + 1 == curve.runs.size()) {
    text += fmt::format("scaling goes on to {} = {}, the last value", name,
                        value_at(sweep, curve, stop));
  } else if (stop == 0) {
    text +=
        fmt::format("no scaling: {} above {} brings nothing", name, value_at(sweep, curve, stop));
  } else {
    text += fmt::format("scaling stops at {} = {}", name, value_at(sweep, curve, stop));
  }
  text += fmt::format(" ({} ex/s", rate_text(rate(stop)));
  if (curve.serial) {
    const double serial = sweep.runs[*curve.serial].report->examples_per_s;
    if (serial > 0) text += fmt::format(", {:.2f} x the serial run", rate(stop) / serial);
  }
  text += ")";
  if (curve.falls) {
    text += fmt::format("; it falls to {} at {}", rate_text(rate(curve.runs.size() - 1)),
                        value_at(sweep, curve, curve.runs.size() - 1));
  }
  const Report& at_stop = *sweep.runs[curve.runs[stop]].report;
  if (at_stop.verdict) text += "; limit there: " + verdict_format::headline(*at_stop.verdict);
  if (curve.predicted) {
    text += "; predicted: " + value_at(sweep, curve, *curve.predicted);
  }
  return text + ".";
}

std::vector<std::string> conclusions(const Sweep& sweep) {
  std::vector<std::string> lines = {skipped_line(sweep)};
  for (const Curve& curve : curves_of(sweep)) {
    lines.push_back(stop_text(sweep, curve));
    lines.push_back(jobs_text(sweep, curve));
  }
  std::erase(lines, "");
  return lines;
}

constexpr const char* kLegend =
    "wait and work in ms a batch; workers 0: the serial run, all work inside the consumer's own "
    "call. "
    "predicted: from its costs, before the run.";

}  // namespace

std::string format_text(const Sweep& sweep) {
  std::string text = head_text(sweep);
  if (runs_done(sweep) == 0) return text;
  text += "\n" + table_of(sweep).text() + wrap(kLegend, 0, kLineWidth) + "\n" +
          prediction_table(sweep, true).text();
  if (const auto jobs = jobs_table(sweep)) text += "\n" + jobs->text() + kJobsLegend + "\n";
  const std::vector<std::string> lines = conclusions(sweep);
  if (!lines.empty()) text += "\n";
  for (const std::string& line : lines) text += wrap(line, 0, kLineWidth);
  return text;
}

std::string format_markdown(const Sweep& sweep) {
  std::string text = head_text(sweep);
  if (runs_done(sweep) == 0) return text;
  text += "\n" + table_of(sweep).markdown() + "\n" + prediction_table(sweep, false).markdown() +
          "\n" + kLegend + "\n\n";
  if (const auto jobs = jobs_table(sweep)) {
    text += jobs->markdown() + "\n" + kJobsLegend + "\n\n";
  }
  for (const std::string& line : conclusions(sweep)) text += "* " + line + "\n";
  return text;
}

}  // namespace penstock
