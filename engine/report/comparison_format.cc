#include "report/comparison_format.h"

#include <fmt/format.h>

#include <cmath>

#include "penstock/diagnostic.h"
#include "report/skipped.h"
#include "report/verdict_format.h"
#include "report/words.h"

namespace penstock {
namespace {

constexpr size_t kNameWidth = 19, kLineWidth = 100;

std::string joined(const std::vector<std::string>& names) {
  return names.empty() ? "nothing" : fmt::format("{}", fmt::join(names, ", "));
}

std::string change_text(const ValueChange& change) {
  return fmt::format("{} {} -> {}", fit(change.what, 60), fit(change.a, 60), fit(change.b, 60));
}

/// A line of the difference: a sign, what it is about, and what happened to it.
std::vector<std::string> difference_lines(const PlanDiff& difference) {
  std::vector<std::string> lines;
  for (const auto& [id, op] : difference.removed) lines.push_back("- node " + id + " (" + op + ")");
  for (const auto& [id, op] : difference.added) lines.push_back("+ node " + id + " (" + op + ")");
  for (const NodeMove& move : difference.moved) {
    lines.push_back(fmt::format("> node {} moved: behind {} -> behind {}", move.id,
                                joined(move.after_a), joined(move.after_b)));
  }
  for (const NodeChange& node : difference.changed) {
    for (const ValueChange& change : node.values) {
      lines.push_back("~ node " + node.id + ": " + change_text(change));
    }
  }
  for (const EdgeName& edge : difference.cut) {
    lines.push_back("- edge " + edge.from + " -> " + edge.to);
  }
  for (const EdgeName& edge : difference.drawn) {
    lines.push_back("+ edge " + edge.from + " -> " + edge.to);
  }
  for (const EdgeChange& edge : difference.resized) {
    lines.push_back(fmt::format("~ edge {} -> {}: {} -> {}", edge.from, edge.to, edge.a, edge.b));
  }
  for (const ValueChange& change : difference.settings) lines.push_back("~ " + change_text(change));
  return lines;
}

std::string value_text(const MetricPair& metric, double value) {
  if (metric.unit == "ms") return duration_text(value);
  if (metric.unit == "bytes") return bytes_text(static_cast<uint64_t>(std::max(0.0, value)));
  return metric.name == "wait_frac" ? fmt::format("{:.3f}", value) : rate_text(value);
}

std::string interval_text(const RatioEstimate& ratio) {
  if (!ratio.low) return "";
  return fmt::format("{:.3f} .. {:.3f}", *ratio.low, *ratio.high);
}

Table metrics_table(const Comparison& comparison) {
  using enum Table::Align;
  Table table({kLeft, kRight, kRight, kRight, kLeft});
  table.row({"median", "A", "B", "B / A", "95 % interval"});
  for (const MetricPair& metric : comparison.metrics) {
    table.row({metric.name, value_text(metric, metric.a), value_text(metric, metric.b),
               metric.ratio ? fmt::format("{:.3f}", metric.ratio->value) : "-",
               metric.ratio ? interval_text(*metric.ratio) : ""});
  }
  return table;
}

/// "12 | 3": a figure of both sides, "-" where a side lacks it.
template <typename Figures>
std::string both(const std::optional<Figures>& a, const std::optional<Figures>& b,
                 std::string (*text)(const Figures&)) {
  return (a ? text(*a) : "-") + " | " + (b ? text(*b) : "-");
}

std::string in_percent(double share) { return fmt::format("{:.0f}", share * 100); }

Table nodes_table(const Comparison& comparison) {
  using enum Table::Align;
  Table table({kLeft, kRight, kRight, kRight, kRight, kRight, kRight, kRight, kRight});
  table.row({"node, A | B", "slots", "service", "on_cpu", "off_cpu", "ready", "held", "blocked",
             "starved"});
  using F = NodeFigures;
  for (const NodePair& node : comparison.nodes) {
    const auto cell = [&node](std::string (*text)(const F&)) { return both(node.a, node.b, text); };
    table.row({fit(node.id, kNameWidth), cell([](const F& f) { return std::to_string(f.slots); }),
               cell([](const F& f) { return duration_text(f.service_ms); }),
               cell([](const F& f) { return in_percent(f.on_cpu); }),
               cell([](const F& f) { return in_percent(f.off_cpu); }),
               cell([](const F& f) { return in_percent(f.ready); }),
               cell([](const F& f) { return in_percent(f.held); }),
               cell([](const F& f) { return in_percent(f.blocked); }),
               cell([](const F& f) { return in_percent(f.starved); })});
  }
  return table;
}

Table edges_table(const Comparison& comparison) {
  using enum Table::Align;
  Table table({kLeft, kRight, kRight, kRight, kRight, kRight});
  table.row({"edge, A | B", "capacity", "fill mean", "empty %", "full %", "bytes max"});
  using F = EdgeFigures;
  for (const EdgePair& edge : comparison.edges) {
    const auto cell = [&edge](std::string (*text)(const F&)) { return both(edge.a, edge.b, text); };
    table.row({fit(edge.from, kNameWidth) + " -> " + fit(edge.to, kNameWidth),
               cell([](const F& f) { return std::to_string(f.capacity); }),
               cell([](const F& f) { return fmt::format("{:.1f}", f.fill_mean); }),
               cell([](const F& f) { return in_percent(f.empty); }),
               cell([](const F& f) { return in_percent(f.full); }),
               cell([](const F& f) { return bytes_text(static_cast<uint64_t>(f.bytes_max)); })});
  }
  return table;
}

std::string outputs_text(const Comparison& comparison) {
  if (!comparison.outputs) return "outputs: not compared";
  const Outputs& outputs = *comparison.outputs;
  if (outputs.batches == 0) return "outputs: not compared";
  if (outputs.equal()) {
    return fmt::format("outputs: equal, in the first {}",
                       count_text(outputs.batches, "batch", "batches"));
  }
  return fmt::format("outputs: NOT equal: batch {} of {} is the first that differs",
                     *outputs.first_difference + 1, outputs.batches);
}

std::string throughput_line(const Comparison& comparison) {
  const MetricPair& rate = metric_of(comparison, "ex/s");
  const size_t pairs = std::min(comparison.a.size(), comparison.b.size());
  if (!rate.ratio) return "throughput: A gave none";
  const RatioEstimate& ratio = *rate.ratio;
  const std::string numbers =
      fmt::format("{} against {} ex/s", rate_text(rate.b), rate_text(rate.a));
  if (!ratio.low) {
    return fmt::format("throughput: B gives {:.2f} x A's ex/s ({}; one pair, so no interval)",
                       ratio.value, numbers);
  }
  const std::string interval =
      fmt::format("95 % interval {:.2f} to {:.2f}", *ratio.low, *ratio.high);
  if (!ratio.surely_above() && !ratio.surely_below()) {
    return fmt::format("throughput: no difference that {} tell: B / A = {:.2f}, {} ({})",
                       count_text(pairs, "pair", "pairs"), ratio.value, interval, numbers);
  }
  return fmt::format("throughput: B is {}: {:.2f} x A's ex/s, {} ({})",
                     ratio.surely_above() ? "faster" : "slower", ratio.value, interval, numbers);
}

std::string limit_text(const std::vector<Report>& runs) {
  const Report* run = typical(runs);
  if (run == nullptr || !run->verdict) return "unknown";
  if (run->verdict->limit == "invalid") return "not known (too few batches, or too uneven)";
  return verdict_format::headline(*run->verdict);
}

std::string time_line(const Comparison& comparison) {
  const auto change = [&](const char* name) {
    const MetricPair& metric = metric_of(comparison, name);
    return value_text(metric, metric.a) + " -> " + value_text(metric, metric.b);
  };
  const std::string before = limit_text(comparison.a), after = limit_text(comparison.b);
  return fmt::format("time: a batch's wait {}, work {}, CPU {}; limit: {}", change("wait_mean"),
                     change("work"), change("cpu"),
                     before == after ? before + ", as before" : before + " -> " + after);
}

std::string warning_text(const Comparison& comparison) {
  if (!comparison.wait_misleads) return "";
  const MetricPair& waiting = metric_of(comparison, "wait_frac");
  const MetricPair& work = metric_of(comparison, "work");
  const MetricPair& rate = metric_of(comparison, "ex/s");
  const bool rose = rate.ratio->value > 1;  // but no more than by chance
  const std::string factor = rose && rate.ratio->low
                                 ? fmt::format("{:.2f} x, {:.2f} to {:.2f}", rate.ratio->value,
                                               *rate.ratio->low, *rate.ratio->high)
                                 : fmt::format("{:.2f} x", rate.ratio->value);
  std::string text = fmt::format(
      "warning: the share of waiting fell from {:.2f} to {:.2f}, and the throughput did not rise{} "
      "({}): no improvement{}.",
      waiting.a, waiting.b, rose ? " for sure" : "", factor, rose ? " that these runs show" : "");
  if (work.b > work.a) {
    text += fmt::format(" The consumer's own work became longer ({} -> {}).", duration_text(work.a),
                        duration_text(work.b));
  }
  return text;
}

std::string skipped_line(const Comparison& comparison) {
  const SkippedByNode a = skipped_in(comparison.a), b = skipped_in(comparison.b);
  if (a.empty() && b.empty()) return "";
  return fmt::format("warning: samples were skipped (on_error): by A {}, by B {}. {}",
                     skipped_text(a), skipped_text(b), kSkippedMeaning);
}

std::string condition_text(const ConditionResult& result) {
  if (!result.value) return "not decided: " + result.condition.text;
  return fmt::format("{}: {} ({} is {:.3f})", result.failed ? "FAILED" : "passed",
                     result.condition.text, result.condition.metric, *result.value);
}

std::string head_text(const Comparison& comparison) {
  std::string text =
      fmt::format("A: {}\nB: {}\n", printable(comparison.name_a), printable(comparison.name_b));
  return text;
}

bool measured(const Comparison& comparison) {
  return !comparison.a.empty() && !comparison.b.empty();
}

std::string pairs_text(const Comparison& comparison) {
  const size_t pairs = std::min(comparison.a.size(), comparison.b.size());
  std::string text = count_text(pairs, "pair", "pairs") + " of runs, A B B A ...";
  if (comparison.status != "complete") text += " (" + comparison.status + ")";
  return text;
}

std::vector<std::string> last_lines(const Comparison& comparison) {
  std::vector<std::string> lines = verdict_lines(comparison);
  for (const std::string& warning : {warning_text(comparison), skipped_line(comparison)}) {
    if (!warning.empty()) lines.push_back(warning);
  }
  for (const ConditionResult& result : comparison.conditions) {
    lines.push_back(condition_text(result));
  }
  return lines;
}

constexpr const char* kLegend =
    "shares of the slots' time in %; ready: for a thread or a CPU; held: for order";

}  // namespace

std::vector<std::string> verdict_lines(const Comparison& comparison) {
  if (!measured(comparison)) return {};
  return {throughput_line(comparison), time_line(comparison)};
}

std::string format_text(const PlanDiff& difference) {
  std::string text;
  for (const std::string& line : difference_lines(difference)) text += "  " + line + "\n";
  return text;
}

std::string format_text(const Comparison& comparison) {
  std::string text = head_text(comparison);
  const std::string difference = format_text(comparison.difference);
  text += difference.empty() ? "no structural difference\n" : difference;
  text += outputs_text(comparison) + "\n";
  if (!measured(comparison)) return text + pairs_text(comparison) + "\n";
  text += "\n" + pairs_text(comparison) + "\n" + metrics_table(comparison).text();
  text += "\n" + nodes_table(comparison).text() + kLegend + "\n";
  text += "\n" + edges_table(comparison).text() + "\n";
  for (const std::string& line : last_lines(comparison)) text += wrap(line, 0, kLineWidth);
  return text;
}

std::string format_markdown(const Comparison& comparison) {
  std::string text = fmt::format("* A: {}\n* B: {}\n\n", printable(comparison.name_a),
                                 printable(comparison.name_b));
  const std::string difference = format_text(comparison.difference);
  text += difference.empty() ? "No structural difference.\n" : "```\n" + difference + "```\n";
  text += "\n" + outputs_text(comparison) + "\n\n" + pairs_text(comparison) + "\n";
  if (!measured(comparison)) return text;
  text += "\n" + metrics_table(comparison).markdown() + "\n" + nodes_table(comparison).markdown() +
          "\n" + kLegend + "\n\n" + edges_table(comparison).markdown() + "\n";
  for (const std::string& line : last_lines(comparison)) text += "* " + line + "\n";
  return text;
}

}  // namespace penstock
