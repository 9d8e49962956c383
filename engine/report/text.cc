#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "penstock/diagnostic.h"
#include "penstock/report.h"
#include "report/verdict_format.h"
#include "report/words.h"

namespace penstock {
namespace {

constexpr size_t kLineWidth = 100;
constexpr size_t kNameWidth = 19;
constexpr size_t kLeastStatesWidth = 16;
constexpr size_t kBarWidth = 10;
constexpr double kShownShare = 0.005;

/// A state with its letter in the bar, in the bar's order.
struct StateShare {
  std::string_view name;
  char symbol;
  double share;
};

std::array<StateShare, 10> states_of(const NodeShares& share) {
  return {{{"on_cpu", '#', share.on_cpu},
           {"off_cpu", '~', share.off_cpu},
           {"run_queue", ':', share.run_queue.value_or(0)},
           {"thread_wait", ':', share.thread_wait},
           {"handover", ':', share.handover},
           {"order_held", '=', share.order_held},
           {"blocked", '>', share.blocked},
           {"blocked_pool", '>', share.blocked_pool},
           {"starved", '.', share.starved},
           {"drained", ' ', share.drained}}};
}

/// The states as a bar: each border at the rounded cumulated share, so that it is always as long.
template <typename States>
std::string bar_of(const States& states) {
  std::string bar = "[";
  double total = 0;
  for (const StateShare& state : states) {
    total += state.share;
    const double end = std::round(std::min(1.0, total) * static_cast<double>(kBarWidth));
    while (static_cast<double>(bar.size() - 1) < end) bar += state.symbol;
  }
  bar.resize(kBarWidth + 1, ' ');
  return bar + "]";
}

/// "on_cpu 80, blocked 10, starved 2": largest first, what rounds to 1 % and fits into `width`.
template <typename States>
std::string list_of(States states, size_t width) {
  std::stable_sort(states.begin(), states.end(),
                   [](const auto& a, const auto& b) { return a.share > b.share; });
  std::string list;
  for (const StateShare& state : states) {
    if (state.share < kShownShare) break;
    const std::string entry = fmt::format("{} {:.0f}", state.name, state.share * 100);
    if (list.size() + entry.size() + 2 > width) break;
    if (!list.empty()) list += ", ";
    list += entry;
  }
  return list;
}

std::string spread_text(const Spread& spread) {
  if (spread.count == 0) return "-";
  return fmt::format("mean {}, p50 {}, p95 {}, max {}", duration_text(spread.mean),
                     duration_text(spread.p50), duration_text(spread.p95),
                     duration_text(spread.max));
}

std::string mean_text(const Spread& spread) {
  return spread.count == 0 ? "-" : duration_text(spread.mean);
}

std::string head_text(const Report& report) {
  std::string text = fmt::format(
      "{}: {} ex/s  ({}, {} in {:.2f} s{})", fit(report.pipeline, 40),
      rate_text(report.examples_per_s), count_text(report.batches, "batch", "batches"),
      count_text(report.examples, "example", "examples"), report.window_seconds,
      report.warmup_batches > 0 ? fmt::format(" after {} of warm-up", report.warmup_batches) : "");
  if (report.status != "complete") text += ", " + report.status;
  text += "\n";
  if (report.first_batch_ms >= 0) {
    text += fmt::format("first batch  {}\n", duration_text(report.first_batch_ms));
  }
  text += fmt::format("wait         {}\n", spread_text(report.wait_ms));
  text += fmt::format("work         {}{}\n", spread_text(report.work_ms),
                      report.work_reference_ms
                          ? fmt::format(" (alone {})", duration_text(*report.work_reference_ms))
                          : "");
  text +=
      fmt::format("waiting      {} of the consumer's time\n", percent_text(report.wait_fraction));
  return text;
}

/// The rows of the nodes and the consumer, with the list of states cut to `width` columns.
Table nodes_table(const Report& report, size_t width) {
  using enum Table::Align;
  Table table({kLeft, kLeft, kRight, kRight, kRight, kLeft, kLeft});
  table.row({"node", "op", "slots", "items", "service", "slots' time", width > 0 ? "in %" : ""});
  for (const NodeReport& node : report.nodes) {
    const auto states = states_of(node.share);
    const bool source = node.items_in == 0;  // it has no input
    table.row({fit(node.id, kNameWidth), fit(node.op, kNameWidth), std::to_string(node.concurrency),
               std::to_string(source ? node.items_out : node.items_in), mean_text(node.service_ms),
               bar_of(states), list_of(states, width)});
  }
  const std::array<StateShare, 2> consumer = {
      {{"work", '#', 1 - report.wait_fraction}, {"wait", '.', report.wait_fraction}}};
  table.row({"consumer", report.consumer.work == "none" ? "" : report.consumer.work, "1",
             std::to_string(report.batches), mean_text(report.work_ms), bar_of(consumer),
             list_of(consumer, width)});
  return table;
}

std::string nodes_text(const Report& report) {
  const size_t used = nodes_table(report, 0).width() + 2;
  const size_t left = kLineWidth > used ? kLineWidth - used : 0;
  return nodes_table(report, std::max(left, kLeastStatesWidth)).text() +
         "# on_cpu  ~ off_cpu  : ready, no CPU or thread  = order_held  > blocked  . starved\n";
}

std::string edges_text(const Report& report) {
  using enum Table::Align;
  Table table({kLeft, kRight, kRight, kRight, kRight, kRight, kRight});
  table.row({"edge", "capacity", "fill mean", "max", "empty", "full", "bytes max"});
  for (const EdgeReport& edge : report.edges) {
    table.row({fit(edge.from, kNameWidth) + " -> " + fit(edge.to, kNameWidth),
               std::to_string(edge.capacity), fmt::format("{:.1f}", edge.fill_mean),
               std::to_string(edge.fill_max), percent_text(edge.empty), percent_text(edge.full),
               bytes_text(edge.bytes_max)});
  }
  return table.text();
}

/// A line for each node that has counted something: "decode: 12 oriented, 1 filled".
std::string tallies_text(const Report& report) {
  std::string text;
  for (const NodeReport& node : report.nodes) {
    std::string counts;
    for (const auto& [name, count] : node.tallies) {
      if (count > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, name);
    }
    if (!counts.empty()) text += fmt::format("{}: {}\n", fit(node.id, 40), printable(counts));
  }
  return text.empty() ? "" : "\n" + text;
}

std::string copy_text(const DeviceReport& device) {
  const auto each = static_cast<double>(std::max<uint64_t>(1, device.copies));
  std::string text = fmt::format(
      "{} a batch", bytes_text(static_cast<uint64_t>(static_cast<double>(device.bytes) / each)));
  if (device.copy_ms && *device.copy_ms > 0) {
    text += fmt::format(" in {} ({:.2f} GB/s), {} of a step", duration_text(*device.copy_ms),
                        static_cast<double>(device.bytes) / each / *device.copy_ms / 1e6,
                        percent_text(device.share_of_step));
  }
  if (device.hidden) {
    text += fmt::format("; {} of it hidden, {} exposed", percent_text(*device.hidden),
                        duration_text(device.exposed_ms));
  }
  if (device.step_ms) text += fmt::format("; steps of {} there", duration_text(*device.step_ms));
  return text;
}

std::string devices_text(const Report& report) {
  std::string text;
  for (const NodeReport& node : report.nodes) {
    if (!node.device) continue;
    text += node.id + ": ";
    if (node.device->copies > 0) text += copy_text(*node.device) + "; ";
    text += count_text(node.device->allocations, "allocation", "allocations");
    if (node.device->copied_on_host > 0) {
      text += fmt::format(", {} copied on the host", bytes_text(node.device->copied_on_host));
    }
    text += "\n";
  }
  return text.empty() ? "" : "\n" + text;
}

std::string skipped_text(const Report& report) {
  if (report.errors_skipped == 0) return "";
  std::string text =
      fmt::format("skipped {}", count_text(report.errors_skipped, "sample", "samples"));
  const char* separator = ": ";
  for (const auto& [node, count] : report.errors_by_node) {
    text += fmt::format("{}{} in {}", separator, count, fit(node, 40));
    separator = ", ";
  }
  text += "\n";
  for (const SkippedSample& sample : report.skipped_samples) {
    text += fmt::format("  {}: {}{}\n", sample.node,
                        sample.key.empty() ? "" : fit(sample.key, 1000) + ": ",
                        fit(sample.message, 1000));
  }
  if (report.errors_skipped > report.skipped_samples.size()) {
    text += fmt::format("  and {} more\n", report.errors_skipped - report.skipped_samples.size());
  }
  return text;
}

std::string foot_text(const Report& report) {
  std::string text =
      fmt::format("CPU {:.2f} s of {:.2f} s x {}", report.process_cpu_s, report.window_seconds,
                  count_text(report.machine.affinity.size(), "CPU", "CPUs"));
  if (report.machine.quota) text += fmt::format(" (quota {:.2f})", *report.machine.quota);
  text += fmt::format("; in flight up to {}; resident up to {}\n",
                      bytes_text(report.bytes_in_flight_max), bytes_text(report.rss_max_bytes));
  if (report.digest) text += "digest " + *report.digest + "\n";
  for (const std::string& note : report.notes) text += "note: " + printable(note) + "\n";
  return text;
}

}  // namespace

std::string format_text(const Report& report) {
  std::string text = head_text(report) + "\n" + nodes_text(report) + "\n" + edges_text(report) +
                     tallies_text(report) + devices_text(report);
  const std::string skipped = skipped_text(report);
  if (!skipped.empty()) text += "\n" + skipped;
  text += "\n" + foot_text(report);
  if (report.verdict) text += "\n" + verdict_format::text(*report.verdict);
  return text;
}

}  // namespace penstock
