#include "diagnose/costs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "measure/split.h"

namespace penstock {
namespace {

constexpr int kQuantiles = 128;
constexpr double kNearWhole = 0.05;  // of a number of entries, for its fraction to be doubted

template <typename T>
const T& at_or_zero(const std::vector<T>& list, size_t index) {
  static const T zero{};
  return index < list.size() ? list[index] : zero;
}

double sum_ms(const std::vector<int64_t>& values) {
  return static_cast<double>(std::accumulate(values.begin(), values.end(), int64_t{0})) / 1e6;
}

double per(double total, double count) { return count > 0 ? total / count : 0; }

/// Middles of kQuantiles equal parts of the services, as parts of their mean. Of `firings` those
/// without a body took no time: what a filter dropped takes its turn in a slot all the same.
std::vector<double> spread_of(const Histogram& service, uint64_t firings) {
  if (service.count() < 2 || service.mean() <= 0) return {1.0};
  const double bodies = std::min(1.0, per(static_cast<double>(service.count()), double(firings)));
  std::vector<double> quantiles;
  for (int i = 0; i < kQuantiles; ++i) {
    const double q = 1 - (1 - (i + 0.5) / kQuantiles) / bodies;
    quantiles.push_back(q > 0 ? service.quantile(q) : 0);
  }
  const double mean = std::accumulate(quantiles.begin(), quantiles.end(), 0.0) / kQuantiles;
  if (mean <= 0) return {1.0};
  for (double& quantile : quantiles) quantile /= mean;
  return quantiles;
}

/// Firings on samples: those that pass an epoch's end cost nothing and make nothing.
uint64_t firings_of(const UnitSnapshot& unit) { return unit.firings - unit.epoch_ends; }

/// Entries that went over the edges, for one firing and one edge. Each edge also had the ends of
/// the unit's epochs. What is under way at either end of the window, a firing in each slot and one
/// that is counted in one place and not yet in the other, makes no fraction: a join whose branches
/// got other counts would come out of step in the model.
double entries(const std::vector<int>& edges, const Snapshot& begin, const Snapshot& end,
               uint64_t EdgeSnapshot::*count, double epoch_ends, double firings, int slots) {
  if (edges.empty()) return 0;
  double sum = 0;
  for (const int e : edges) {
    const auto i = static_cast<size_t>(e);
    sum += static_cast<double>(at_or_zero(end.edges, i).*count - at_or_zero(begin.edges, i).*count);
  }
  const double each =
      per(std::max(0.0, sum / static_cast<double>(edges.size()) - epoch_ends), firings);
  const double whole = std::round(each);
  const double off = std::abs(each - whole);
  const double under_way = 2 * (slots * std::max(1.0, whole) + 1);
  return off * firings <= under_way && off <= kNearWhole * whole ? whole : each;
}

NodeCosts node_costs(const UnitFacts& facts, const UnitSnapshot& begin, const UnitSnapshot& end,
                     double batches) {
  NodeCosts node;
  node.facts = facts;
  const auto firings = static_cast<double>(firings_of(end) - firings_of(begin));
  node.visits = per(firings, batches);
  SampledClocks sampled = end.sampled - begin.sampled;
  if (sampled.wall_ns <= 0) sampled = end.sampled;  // none fell into the window
  const SlotStates states = end.states - begin.states;
  const RunningSplit split = split_running(states.running, sampled, facts.pooled);
  const auto each_ms = [firings](int64_t ns) {
    return per(static_cast<double>(ns) / 1e6, firings);
  };
  node.cpu_ms = each_ms(split.on_cpu);
  node.off_ms = each_ms(split.off_cpu);
  node.queued_ms = each_ms(split.run_queue.value_or(0));
  DeviceFigures device = end.device - begin.device;
  if (device.timed == 0) device = end.device;  // none ended in the window
  node.off_ms = std::max(0.0, node.off_ms - per(static_cast<double>(device.waited_ns) / 1e6,
                                                static_cast<double>(device.copies)));
  node.copy_ms = per(static_cast<double>(device.copy_ns) / 1e6, static_cast<double>(device.timed));
  node.copied_mb = per(static_cast<double>(device.bytes) / 1e6, static_cast<double>(device.copies));
  node.thread_wait_ms = each_ms(states.thread_wait);
  node.handover_ms = each_ms(states.handover);
  node.held_ms = each_ms(states.order_held);
  node.blocked_ms = per(sum_ms(states.blocked), firings);
  node.starved_ms = per(sum_ms(states.starved), firings);
  node.spread = spread_of(end.service, firings_of(end));
  return node;
}

ConsumerCosts consumer_costs(const ConsumerSnapshot& begin, const ConsumerSnapshot& end,
                             std::optional<double> reference_ms) {
  ConsumerCosts consumer;
  const auto batches = static_cast<double>(end.batches - begin.batches);
  SampledClocks sampled = end.work_clocks - begin.work_clocks;
  if (sampled.wall_ns <= 0) sampled = end.work_clocks;
  const RunningSplit split = split_running(end.work_ns - begin.work_ns, sampled, true);
  consumer.cpu_ms = per(static_cast<double>(split.on_cpu) / 1e6, batches);
  consumer.off_ms = per(static_cast<double>(split.off_cpu) / 1e6, batches);
  consumer.queued_ms = per(static_cast<double>(split.run_queue.value_or(0)) / 1e6, batches);
  consumer.wait_ms = per(static_cast<double>(end.wait_ns - begin.wait_ns) / 1e6, batches);
  consumer.reference_ms = reference_ms;
  consumer.spread = spread_of(end.work, end.work.count());
  return consumer;
}

/// CPUs less what others took from this process: no more than they used, and no more than its own
/// threads waited for a CPU, since what it did not ask for nobody took. `queued`: CPUs' worth of
/// that waiting.
double cpus_left(double allowed, double queued, const Snapshot& begin, const Snapshot& end) {
  const auto window = static_cast<double>(end.now - begin.now);
  if (!begin.cpus.known || !end.cpus.known || window <= 0) return allowed;
  const auto own = static_cast<double>(end.process_cpu_ns - begin.process_cpu_ns);
  const auto busy = static_cast<double>(end.cpus.busy_ns - begin.cpus.busy_ns);
  const auto steal = static_cast<double>(end.cpus.steal_ns - begin.cpus.steal_ns);
  const double others = std::max(0.0, busy - own) + std::max(0.0, steal);
  return std::clamp(allowed - std::min(others / window, queued), std::min(allowed, own / window),
                    allowed);
}

/// A step that goes on on a device after the calls that began it takes as long as the device says.
void add_device_work(const Snapshot& begin, const Snapshot& end, ConsumerCosts* consumer) {
  for (size_t u = 0; u < end.units.size(); ++u) {
    DeviceFigures device = end.units[u].device - at_or_zero(begin.units, u).device;
    if (device.steps == 0) device = end.units[u].device;
    const double step_ms =
        per(static_cast<double>(device.step_ns) / 1e6, static_cast<double>(device.steps));
    consumer->off_ms = std::max(consumer->off_ms, step_ms - consumer->cpu_ms);
  }
}

double queued_per_batch(const Costs& costs) {
  double sum = costs.consumer.queued_ms;
  for (const NodeCosts& node : costs.nodes) sum += node.visits * node.queued_ms;
  return sum;
}

/// CPU time that was not used is time off it: how long bodies last is exact, its parts are sampled.
void use_less_cpu(double factor, double* cpu_ms, double* off_ms) {
  *off_ms += (1 - factor) * *cpu_ms;
  *cpu_ms *= factor;
}

/// The engine's own CPU: what the process used beyond the bodies and the consumer's work. Sampled
/// clocks that say more than the process used are scaled down to it.
void add_engine(double process_cpu_ms, Costs* costs) {
  if (process_cpu_ms <= 0) return;
  const double known = costs->cpu_per_batch();
  costs->engine_ms = std::max(0.0, process_cpu_ms - known);
  if (known <= process_cpu_ms) return;
  const double factor = process_cpu_ms / known;
  for (NodeCosts& node : costs->nodes) use_less_cpu(factor, &node.cpu_ms, &node.off_ms);
  use_less_cpu(factor, &costs->consumer.cpu_ms, &costs->consumer.off_ms);
}

}  // namespace

std::vector<size_t> sources_of(const GraphFacts& graph) {
  std::vector<size_t> sources;
  for (size_t u = 0; u < graph.units.size(); ++u) {
    if (graph.units[u].in_edges.empty()) sources.push_back(u);
  }
  return sources;
}

double Costs::cpu_per_batch() const {
  double sum = engine_ms + consumer.cpu_ms;
  for (const NodeCosts& node : nodes) sum += node.cpu_per_batch();
  return sum;
}

const NodeCosts* Costs::find(const std::string& id) const {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&id](const NodeCosts& node) { return node.facts.id == id; });
  return found == nodes.end() ? nullptr : &*found;
}

Costs costs_of(const GraphFacts& graph, const MachineFacts& machine, const Snapshot& begin,
               const Snapshot& end, std::optional<double> reference_ms) {
  Costs costs;
  costs.edges = graph.edges;
  costs.batches = end.consumer.batches - begin.consumer.batches;
  const auto batches = static_cast<double>(costs.batches);
  for (size_t u = 0; u < graph.units.size(); ++u) {
    const UnitFacts& facts = graph.units[u];
    const UnitSnapshot& first = at_or_zero(begin.units, u);
    const UnitSnapshot& last = at_or_zero(end.units, u);
    NodeCosts node = node_costs(facts, first, last, batches);
    const auto ends = static_cast<double>(last.epoch_ends - first.epoch_ends);
    const auto firings = static_cast<double>(firings_of(last) - firings_of(first));
    node.taken =
        entries(facts.in_edges, begin, end, &EdgeSnapshot::gets, ends, firings, facts.slots);
    node.given =
        entries(facts.out_edges, begin, end, &EdgeSnapshot::puts, ends, firings, facts.slots);
    costs.nodes.push_back(std::move(node));
  }
  costs.consumer = consumer_costs(begin.consumer, end.consumer, reference_ms);
  add_device_work(begin, end, &costs.consumer);
  costs.consumer.key = graph.consumer_key;
  costs.consumer.target_ms = graph.consumer_target_ms;
  costs.cpus_allowed = machine.cpus;
  costs.threads = machine.threads;
  costs.serial = machine.serial;
  add_engine(per(static_cast<double>(end.process_cpu_ns - begin.process_cpu_ns) / 1e6, batches),
             &costs);
  costs.batches_per_s = per(batches, static_cast<double>(end.now - begin.now) / 1e9);
  costs.cpus =
      cpus_left(machine.cpus, queued_per_batch(costs) * costs.batches_per_s / 1e3, begin, end);
  costs.examples_per_batch =
      per(static_cast<double>(end.consumer.examples - begin.consumer.examples), batches);
  return costs;
}

Costs with_setting(const Costs& costs, const GraphFacts& graph, const MachineFacts& machine) {
  Costs result = costs;
  result.nodes.clear();
  for (const UnitFacts& unit : graph.units) {
    NodeCosts node;
    if (const NodeCosts* known = costs.find(unit.id)) node = *known;
    node.facts = unit;
    result.nodes.push_back(std::move(node));
  }
  result.edges = graph.edges;
  // What others took from the CPUs they take from the new ones too.
  result.cpus = std::max(0.01, machine.cpus - (costs.cpus_allowed - costs.cpus));
  result.cpus_allowed = machine.cpus;
  result.threads = machine.threads;
  result.serial = machine.serial;
  return result;
}

}  // namespace penstock
