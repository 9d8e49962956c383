#include "diagnose/words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace penstock::words {
namespace {

constexpr double kSlowed = 1.1;
constexpr size_t kDemandsNamed = 3;
constexpr double kAboutOnce = 0.1;

std::string digits(double value) {
  if (value < 9.995) return fmt::format("{:.2f}", value);
  return fmt::format("{:.{}f}", value, value < 99.95 ? 1 : 0);
}

/// "a sample" or "a batch of 32": by which the costs are told, and how many of them a batch has.
struct Base {
  double per_batch;
  std::string text;
};

Base base_of(const Costs& costs, double visits) {
  const double examples = std::max(1.0, costs.examples_per_batch);
  if (visits > 1.001 || examples < 1.001) return {examples, "a sample"};
  return {1, "a batch of " + number(examples)};
}

double examples(const Costs& costs, double batches_per_s) {
  return batches_per_s * costs.examples_per_batch;
}

std::string have(const Costs& costs) {
  return fmt::format("you have {}", number(examples(costs, costs.batches_per_s)));
}

/// "2 x 3.10 ms", or "3.10 ms" where it is about once.
std::string times(double count, double each_ms) {
  if (std::abs(count - 1) < kAboutOnce) return ms(count * each_ms);
  return fmt::format("{} x {}", number(count), ms(each_ms));
}

/// "1 slot gives", "2 slots give".
std::string gives(const std::string& places) {
  return places + (places.ends_with('s') ? " give" : " gives");
}

std::string slots_reason(const Costs& costs, const Bound& bound) {
  const NodeCosts& node = costs.nodes[bound.node];
  const Base base = base_of(costs, node.visits);
  const bool on_cpu = node.cpu_ms >= node.off_ms;
  return fmt::format(
      "{} needs {} {} ({}); {} at most {} samples/s; {}.", node.facts.id,
      times(node.visits / base.per_batch, node.service_ms()), base.text,
      on_cpu ? ms(node.cpu_ms) + " of it on a CPU" : ms(node.off_ms) + " of it waiting",
      gives(count(node.facts.slots, "slot")), number(examples(costs, bound.batches_per_s)),
      have(costs));
}

std::string cpu_reason(const Costs& costs, const Bound& bound) {
  const Base base = base_of(costs, 2);
  std::string parts;
  const std::vector<Demand> demands = cpu_demands(costs);
  for (size_t i = 0; i < std::min(kDemandsNamed, demands.size()); ++i) {
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", demands[i].name,
                         ms(demands[i].ms / base.per_batch));
  }
  std::string text = fmt::format(
      "the pipeline and its consumer need {} of CPU a sample ({}); {} at most {} samples/s; {}.",
      ms(costs.cpu_per_batch() / base.per_batch), parts, gives(count(costs.cpus, "CPU")),
      number(examples(costs, bound.batches_per_s)), have(costs));
  if (costs.cpus_allowed - costs.cpus > 0.05 * costs.cpus_allowed) {
    text += fmt::format(" (Other programs and the host took {} of {}.)",
                        number(costs.cpus_allowed - costs.cpus), count(costs.cpus_allowed, "CPU"));
  }
  return text;
}

std::string threads_reason(const Costs& costs, const Bound& bound) {
  const double per_batch = std::max(1.0, costs.examples_per_batch);
  const double rate = examples(costs, bound.batches_per_s);
  if (costs.serial) {
    return fmt::format(
        "one thread does all the work in turn, {} a sample with the consumer's: at most {} "
        "samples/s; {}.",
        ms(1e3 / bound.batches_per_s / per_batch), number(rate), have(costs));
  }
  return fmt::format(
      "the bodies on the CPU threads take {} a sample, waiting included; {} at most {} samples/s; "
      "{}.",
      ms(costs.threads / bound.batches_per_s * 1e3 / per_batch),
      gives(count(costs.threads, "thread")), number(rate), have(costs));
}

std::string device_reason(const Costs& costs, const Bound& bound) {
  const NodeCosts& node = costs.nodes[bound.node];
  return fmt::format(
      "{} copies {} MB to the device in {} ({} GB/s), by the device's clock: at most {} samples/s; "
      "{}.",
      node.facts.id, number(node.copied_mb), ms(node.copy_ms),
      digits(node.copied_mb / node.copy_ms), number(examples(costs, bound.batches_per_s)),
      have(costs));
}

std::string consumer_reason(const Costs& costs, const Bound& bound) {
  return fmt::format("the consumer works {} a batch of {}: at most {} samples/s; {}.",
                     ms(costs.consumer.service_ms()), number(costs.examples_per_batch),
                     number(examples(costs, bound.batches_per_s)), have(costs));
}

}  // namespace

std::string ms(double value) {
  if (value <= 0) return "0 ms";
  if (value < 0.0995) return digits(value * 1e3) + " us";
  if (value < 1e4) return digits(value) + " ms";
  return digits(value / 1e3) + " s";
}

std::string number(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  const std::string text = digits(value);
  const size_t kept = text.find_last_not_of('0');
  return text.substr(0, text[kept] == '.' ? kept : kept + 1);
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += names[i];
  }
  return text;
}

std::string count(double value, const std::string& one) {
  const std::string text = number(value);
  return text + " " + one + (text == "1" ? "" : "s");
}

std::string headline(const std::string& limit, const std::vector<std::string>& nodes) {
  std::string names = fmt::format("{}", fmt::join(nodes, ", "));
  if (limit == "invalid") return "none can be given";
  if (limit == "none") return "no single bottleneck" + (nodes.empty() ? "" : " (" + names + ")");
  if (limit == "node") return names;
  if (limit == "cpu") return "CPU saturated" + (nodes.empty() ? "" : " by " + names);
  if (limit == "threads") return "the CPU threads";
  if (limit == "order") return "order, at " + names;
  if (limit == "variance") return "uneven times (variance), at " + names;
  if (limit == "co_limited") return names + " together";
  if (limit == "not_stationary") return "not stationary";
  if (limit == "device") return "the link to the device, at " + names;
  return "the " + limit;
}

std::string reason(const Costs& costs, const Bound& bound) {
  switch (bound.resource) {
    case Resource::kSlots:
      return slots_reason(costs, bound);
    case Resource::kCpu:
      return cpu_reason(costs, bound);
    case Resource::kThreads:
      return threads_reason(costs, bound);
    case Resource::kDevice:
      return device_reason(costs, bound);
    case Resource::kConsumer:
      break;
  }
  return consumer_reason(costs, bound);
}

std::vector<Demand> cpu_demands(const Costs& costs) {
  std::vector<Demand> demands = {{"consumer", costs.consumer.cpu_ms}, {"engine", costs.engine_ms}};
  for (const NodeCosts& node : costs.nodes) {
    demands.push_back({node.facts.id, node.cpu_per_batch()});
  }
  std::erase_if(demands, [](const Demand& demand) { return demand.ms <= 0; });
  std::stable_sort(demands.begin(), demands.end(),
                   [](const Demand& a, const Demand& b) { return a.ms > b.ms; });
  return demands;
}

std::string slowed_consumer(const Costs& costs) {
  const ConsumerCosts& consumer = costs.consumer;
  const double alone = consumer.reference_ms.value_or(0);
  if (alone <= 0 || consumer.work_ms() < kSlowed * alone) return "";
  return fmt::format(
      "The pipeline slows the consumer: its work takes {} here and {} alone, so a smaller share of "
      "waiting is no gain.",
      ms(consumer.work_ms()), ms(alone));
}

}  // namespace penstock::words
