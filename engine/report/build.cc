#include "report/build.h"

#include <algorithm>

#include "diagnose/facts.h"
#include "diagnose/verdict.h"
#include "measure/machine.h"
#include "penstock/schema.h"
#include "report/failure.h"
#include "report/split.h"
#include "report/words.h"

namespace penstock {
namespace {

constexpr size_t kSkippedShown = 5;

/// An older state of a run, or zeros where it has none: snapshots of the start may be empty.
template <typename T>
const T& at_or_zero(const std::vector<T>& list, size_t index) {
  static const T zero{};
  return index < list.size() ? list[index] : zero;
}

double ratio(int64_t part, double whole) {
  return whole <= 0 ? 0.0 : static_cast<double>(part) / whole;
}

int64_t sum(const std::vector<int64_t>& values) {
  int64_t total = 0;
  for (const int64_t value : values) total += value;
  return total;
}

/// Shares by neighbour; those of two edges to one neighbour are added.
std::map<std::string, double> by_neighbour(const Plan& plan, const std::vector<int64_t>& times,
                                           const std::vector<int>& edges, bool upstream,
                                           double slot_time) {
  std::map<std::string, double> result;
  for (size_t i = 0; i < edges.size() && i < times.size(); ++i) {
    const PlanEdge& edge = plan.edges()[static_cast<size_t>(edges[i])];
    result[node_name(plan, upstream ? edge.from : edge.to)] += ratio(times[i], slot_time);
  }
  return result;
}

NodeShares shares_of(const SlotStates& states, const RunningSplit& split, double slot_time) {
  NodeShares share;
  share.starved = ratio(sum(states.starved), slot_time);
  share.thread_wait = ratio(states.thread_wait, slot_time);
  share.on_cpu = ratio(split.on_cpu, slot_time);
  if (split.run_queue) share.run_queue = ratio(*split.run_queue, slot_time);
  share.off_cpu = ratio(split.off_cpu, slot_time);
  share.handover = ratio(states.handover, slot_time);
  share.order_held = ratio(states.order_held, slot_time);
  share.blocked = ratio(sum(states.blocked), slot_time);
  share.blocked_pool = ratio(states.blocked_pool, slot_time);
  share.drained = ratio(states.drained, slot_time);
  return share;
}

/// The part of a mean body that was on a CPU, by the sampled clocks: of the bodies that `service`
/// is of, and not of those that the window cuts.
std::optional<double> cpu_ms_mean(const Spread& service, const SampledClocks& sampled,
                                  bool computes) {
  if (service.count == 0) return std::nullopt;
  const auto mean_ns = static_cast<int64_t>(service.mean * 1e6);
  return static_cast<double>(split_running(mean_ns, sampled, computes).on_cpu) / 1e6;
}

NodeReport node_report(const Plan& plan, const PlanUnit& unit, const PlanNode& node,
                       const UnitSnapshot& begin, const UnitSnapshot& end) {
  NodeReport report;
  report.id = node.id;
  report.op = node.op;
  report.where = node.at.text();
  report.kind = name_of(node.where);
  report.concurrency = end.concurrency;
  report.items_in = end.items_in - begin.items_in;
  report.items_out = end.items_out - begin.items_out;
  report.skipped = end.skipped - begin.skipped;
  report.filtered = end.filtered - begin.filtered;
  for (size_t i = 0; i < node.tallies.size(); ++i) {
    report.tallies.emplace_back(node.tallies[i], end.tallies[i] - begin.tallies[i]);
  }
  report.service_ms = spread_ms(begin.service, end.service);
  report.firings = report.service_ms.count;

  SampledClocks sampled = end.sampled - begin.sampled;
  if (sampled.wall_ns <= 0) sampled = end.sampled;  // none fell into the window
  const SlotStates states = end.states - begin.states;
  const RunningSplit split = split_running(states.running, sampled, node.where == Where::kCpu);
  // Each unit's clocks are closed to its own `now`, a little apart from the snapshot's.
  const double slot_time = static_cast<double>(end.now - begin.now) * end.concurrency;
  report.share = shares_of(states, split, slot_time);
  report.cpu_ms_mean = cpu_ms_mean(report.service_ms, sampled, node.where == Where::kCpu);
  const PlanNode& first = plan.nodes()[static_cast<size_t>(unit.nodes.front())];
  const PlanNode& last = plan.nodes()[static_cast<size_t>(unit.nodes.back())];
  report.starved_by = by_neighbour(plan, states.starved, first.in_edges, true, slot_time);
  report.blocked_by = by_neighbour(plan, states.blocked, last.out_edges, false, slot_time);
  return report;
}

/// Nothing of nodes that have nothing to do with one.
std::optional<DeviceReport> device_report(const DeviceFigures& begin, const DeviceFigures& end,
                                          double batch_ms) {
  if (end.copies == 0 && end.allocations == 0 && end.copied_on_host == 0) return std::nullopt;
  const DeviceFigures window = end - begin;
  DeviceReport report;
  report.copies = window.copies;
  report.transfers = window.transfers;
  report.bytes = window.bytes;
  report.allocations = end.allocations;
  report.copied_on_host = window.copied_on_host;
  if (window.timed > 0) {
    const double copy_ms = ratio(window.copy_ns, 1e6 * static_cast<double>(window.timed));
    report.copy_ms = copy_ms;
    report.share_of_step = batch_ms > 0 ? copy_ms / batch_ms : 0;
    const uint64_t seen = window.steps > 0 ? window.steps : window.timed;
    report.exposed_ms = ratio(window.exposed_ns, 1e6 * static_cast<double>(seen));
    if (copy_ms > 0) report.hidden = std::clamp(1 - report.exposed_ms / copy_ms, 0.0, 1.0);
  }
  if (window.steps > 0) {
    report.step_ms = ratio(window.step_ns, 1e6 * static_cast<double>(window.steps));
  }
  return report;
}

EdgeReport edge_report(const Plan& plan, const PlanEdge& edge, const EdgeSnapshot& begin,
                       const EdgeSnapshot& end) {
  const double window = static_cast<double>(end.now - begin.now);
  EdgeReport report;
  report.from = node_name(plan, edge.from);
  report.to = node_name(plan, edge.to);
  report.capacity = end.capacity;
  if (end.capacity_bytes > 0) report.capacity_bytes = end.capacity_bytes;
  report.fill_mean = ratio(end.occupancy_ns - begin.occupancy_ns, window);
  report.fill_max = end.fill_max;
  report.empty = ratio(end.empty_ns - begin.empty_ns, window);
  report.full = ratio(end.full_ns - begin.full_ns, window);
  report.bytes_max = end.bytes_max;
  report.puts = end.puts - begin.puts;
  report.gets = end.gets - begin.gets;
  report.content_begin = begin.content;
  report.content_end = end.content;
  return report;
}

void add_consumer(const ConsumerSnapshot& begin, const ConsumerSnapshot& end, int64_t window_ns,
                  Report* report) {
  report->batches = end.batches - begin.batches;
  report->examples = end.examples - begin.examples;
  report->examples_per_s = ratio(static_cast<int64_t>(report->examples), window_ns / 1e9);
  report->first_batch_ms = end.first_batch_ns < 0 ? -1 : end.first_batch_ns / 1e6;
  report->wait_ms = spread_ms(begin.wait, end.wait);
  report->work_ms = spread_ms(begin.work, end.work);
  const int64_t wait = end.wait_ns - begin.wait_ns, work = end.work_ns - begin.work_ns;
  report->wait_fraction = ratio(wait, static_cast<double>(wait + work));
}

void add_work(const ConsumerSpec& spec, const ReportContext& context, Report* report) {
  report->work_reference_ms = context.work_reference_ms;
  report->consumer.spin_iterations = context.spin_iterations;
  if (spec.spin_ns > 0) {
    report->consumer.work = "spin";
    report->consumer.target_ms = static_cast<double>(spec.spin_ns) / 1e6;
  } else if (spec.sleep_ns > 0) {
    report->consumer.work = "sleep";
    report->consumer.target_ms = static_cast<double>(spec.sleep_ns) / 1e6;
  }
}

void add_errors(const Snapshot& end, const ReportContext& context, Report* report) {
  for (const UnitSnapshot& unit : end.units) {
    report->errors_skipped += unit.skipped;
    if (unit.skipped > 0) report->errors_by_node[unit.id] += unit.skipped;
  }
  for (const ErrorInfo& error : context.skipped) {
    if (report->skipped_samples.size() == kSkippedShown) break;
    report->skipped_samples.push_back({error.node, error.key, error.message});
  }
  if (context.error) report->error = failure_of(*context.error);
}

/// Clamped stamps are shown when they could matter: more than one in a thousand firings.
void note_clamps(const Snapshot& end, Report* report) {
  uint64_t clamps = 0, firings = 0;
  for (const UnitSnapshot& unit : end.units) {
    clamps += unit.clamps;
    firings += unit.firings;
  }
  if (clamps * 1000 > firings) {
    report->notes.push_back(std::to_string(clamps) + " stamps of " + std::to_string(firings) +
                            " firings were out of order and put in order");
  }
}

/// What the machine kept from the run, where it could matter: more than 1 % of the CPUs' time.
void note_taken_time(const RunLog& log, Report* report) {
  if (log.marks.size() < 2 || !log.marks.front().cpus.known || !log.marks.back().cpus.known) return;
  const CpuTimes& begin = log.marks.front().cpus;
  const CpuTimes& end = log.marks.back().cpus;
  const auto worth = static_cast<double>(log.marks.back().now - log.marks.front().now) / 100 *
                     static_cast<double>(report->machine.affinity.size());
  const auto note = [&](int64_t taken_ns, const std::string& who) {
    if (static_cast<double>(taken_ns) <= worth) return;
    report->notes.push_back(who + " for " + duration_text(static_cast<double>(taken_ns) / 1e6));
  };
  note(end.steal_ns - begin.steal_ns, "the host of this virtual machine took CPUs away");
  note(end.throttled_ns - begin.throttled_ns, "the control group's CPU quota held threads back");
}

}  // namespace

std::string node_name(const Plan& plan, int node) {
  const auto index = static_cast<size_t>(node);
  return index < plan.nodes().size() ? plan.nodes()[index].id : "consumer";
}

MachineReport machine_report() {
  MachineReport machine;
  machine.cpus = online_cpus();
  machine.affinity = cpu_affinity();
  machine.quota = cgroup_cpu_quota();
  machine.torch = loaded_torch_version();
  machine.tbb = loaded_tbb_version();
  return machine;
}

Report build_report(const Plan& plan, const Snapshot& begin, const Snapshot& end,
                    const ReportContext& context) {
  const int64_t window_ns = end.now - begin.now;
  Report report;
  report.status = context.status;
  report.pipeline = plan.name();
  report.plan = plan.fingerprint();
  report.seed = plan.seed();
  report.epochs = context.epochs;
  report.machine = context.machine ? *context.machine : machine_report();
  report.window_seconds = static_cast<double>(window_ns) / 1e9;
  report.warmup_batches = context.warmup_batches;
  report.steady = context.steady;
  report.digest = context.digest;
  report.notes = context.notes;
  add_consumer(begin.consumer, end.consumer, window_ns, &report);
  add_work(plan.consumer(), context, &report);
  for (size_t u = 0; u < plan.units().size() && u < end.units.size(); ++u) {
    const PlanUnit& unit = plan.units()[u];
    for (const int node : unit.nodes) {
      report.nodes.push_back(node_report(plan, unit, plan.nodes()[static_cast<size_t>(node)],
                                         at_or_zero(begin.units, u), end.units[u]));
      report.nodes.back().device =
          device_report(at_or_zero(begin.units, u).device, end.units[u].device,
                        ratio(window_ns, 1e6 * static_cast<double>(report.batches)));
    }
  }
  for (size_t e = 0; e < plan.edges().size() && e < end.edges.size(); ++e) {
    report.edges.push_back(
        edge_report(plan, plan.edges()[e], at_or_zero(begin.edges, e), end.edges[e]));
  }
  report.bytes_in_flight_max = static_cast<uint64_t>(std::max<int64_t>(0, end.bytes_in_flight_max));
  report.process_cpu_s = static_cast<double>(end.process_cpu_ns - begin.process_cpu_ns) / 1e9;
  report.rss_max_bytes = context.rss_max_bytes ? *context.rss_max_bytes : peak_resident_bytes();
  if (context.log) {
    const MachineFacts machine = machine_facts(report.machine.affinity.size(), report.machine.quota,
                                               end.threads, context.serial);
    note_taken_time(*context.log, &report);
    report.verdict = diagnose_run(facts_of(plan), machine, *context.log, context.work_reference_ms);
  }
  add_errors(end, context, &report);
  note_clamps(end, &report);
  return report;
}

}  // namespace penstock
