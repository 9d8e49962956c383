#include "compare/comparison.h"

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <stdexcept>

namespace penstock {
namespace {

constexpr double kClearFall = 0.9;   // of the share of waiting
constexpr double kLeastFall = 0.02;  // the same, in parts of the consumer's time
constexpr double kClearRise = 1.02;  // of the throughput
constexpr const char* kOutputs = "outputs";

struct Metric {
  const char* name;
  const char* unit;
  double (*of)(const Report&);
};

constexpr std::array<Metric, 10> kMetrics = {{
    {"ex/s", "", [](const Report& r) { return r.examples_per_s; }},
    {"wait_mean", "ms", [](const Report& r) { return r.wait_ms.mean; }},
    {"wait_p50", "ms", [](const Report& r) { return r.wait_ms.p50; }},
    {"wait_p95", "ms", [](const Report& r) { return r.wait_ms.p95; }},
    {"wait_max", "ms", [](const Report& r) { return r.wait_ms.max; }},
    {"work", "ms", [](const Report& r) { return r.work_ms.mean; }},
    {"wait_frac", "", [](const Report& r) { return r.wait_fraction; }},
    {"first_batch", "ms", [](const Report& r) { return r.first_batch_ms; }},
    {"cpu", "ms",
     [](const Report& r) {
       return r.batches > 0 ? r.process_cpu_s * 1e3 / static_cast<double>(r.batches) : 0;
     }},
    {"in_flight", "bytes",
     [](const Report& r) { return static_cast<double>(r.bytes_in_flight_max); }},
}};

/// Median of a figure over those runs that have it.
template <typename Part>
double median_of(const std::vector<const Part*>& parts,
                 const std::function<double(const Part&)>& figure) {
  std::vector<double> values;
  for (const Part* part : parts) values.push_back(figure(*part));
  return median(std::move(values));
}

std::optional<NodeFigures> node_figures(const std::vector<Report>& runs, const std::string& id) {
  std::vector<const NodeReport*> parts;
  for (const Report& run : runs) {
    for (const NodeReport& node : run.nodes) {
      if (node.id == id) parts.push_back(&node);
    }
  }
  if (parts.empty()) return std::nullopt;
  const auto of = [&parts](const std::function<double(const NodeReport&)>& figure) {
    return median_of(parts, figure);
  };
  NodeFigures figures;
  figures.slots = parts.front()->concurrency;
  figures.service_ms = of([](const NodeReport& n) { return n.service_ms.mean; });
  figures.on_cpu = of([](const NodeReport& n) { return n.share.on_cpu; });
  figures.off_cpu = of([](const NodeReport& n) { return n.share.off_cpu; });
  figures.ready = of([](const NodeReport& n) {
    return n.share.thread_wait + n.share.run_queue.value_or(0) + n.share.handover;
  });
  figures.held = of([](const NodeReport& n) { return n.share.order_held; });
  figures.blocked = of([](const NodeReport& n) { return n.share.blocked + n.share.blocked_pool; });
  figures.starved = of([](const NodeReport& n) { return n.share.starved; });
  return figures;
}

std::optional<EdgeFigures> edge_figures(const std::vector<Report>& runs, const std::string& from,
                                        const std::string& to) {
  std::vector<const EdgeReport*> parts;
  for (const Report& run : runs) {
    for (const EdgeReport& edge : run.edges) {
      if (edge.from == from && edge.to == to) parts.push_back(&edge);
    }
  }
  if (parts.empty()) return std::nullopt;
  const auto of = [&parts](const std::function<double(const EdgeReport&)>& figure) {
    return median_of(parts, figure);
  };
  EdgeFigures figures;
  figures.capacity = parts.front()->capacity;
  figures.fill_mean = of([](const EdgeReport& e) { return e.fill_mean; });
  figures.empty = of([](const EdgeReport& e) { return e.empty; });
  figures.full = of([](const EdgeReport& e) { return e.full; });
  figures.bytes_max = of([](const EdgeReport& e) { return static_cast<double>(e.bytes_max); });
  return figures;
}

void add_metrics(Comparison* comparison) {
  const size_t pairs = std::min(comparison->a.size(), comparison->b.size());
  for (const Metric& metric : kMetrics) {
    std::vector<double> a, b;
    for (size_t i = 0; i < pairs; ++i) {
      a.push_back(metric.of(comparison->a[i]));
      b.push_back(metric.of(comparison->b[i]));
    }
    comparison->metrics.push_back(
        {metric.name, metric.unit, median(a), median(b), paired_ratio(a, b)});
  }
}

void add_nodes(Comparison* comparison) {
  std::vector<std::string> ids;
  for (const auto* runs : {&comparison->a, &comparison->b}) {
    if (runs->empty()) continue;
    for (const NodeReport& node : runs->front().nodes) {
      if (std::find(ids.begin(), ids.end(), node.id) == ids.end()) ids.push_back(node.id);
    }
  }
  for (const std::string& id : ids) {
    comparison->nodes.push_back(
        {id, node_figures(comparison->a, id), node_figures(comparison->b, id)});
  }
}

void add_edges(Comparison* comparison) {
  std::vector<EdgePair> pairs;
  for (const auto* runs : {&comparison->a, &comparison->b}) {
    if (runs->empty()) continue;
    for (const EdgeReport& edge : runs->front().edges) {
      const bool known = std::any_of(pairs.begin(), pairs.end(), [&](const EdgePair& pair) {
        return pair.from == edge.from && pair.to == edge.to;
      });
      if (!known) pairs.push_back({edge.from, edge.to, {}, {}});
    }
  }
  for (EdgePair& pair : pairs) {
    pair.a = edge_figures(comparison->a, pair.from, pair.to);
    pair.b = edge_figures(comparison->b, pair.from, pair.to);
  }
  comparison->edges = std::move(pairs);
}

/// Infinite where A has nothing of it and B something; nothing where there is no pair.
std::optional<double> value_of(const Comparison& comparison, const std::string& metric) {
  if (metric == kOutputs) {
    if (!comparison.outputs) return std::nullopt;
    return comparison.outputs->equal() ? 1.0 : 0.0;
  }
  if (comparison.a.empty() || comparison.b.empty()) return std::nullopt;
  const auto& ratio = metric_of(comparison, metric).ratio;
  return ratio ? ratio->value : std::numeric_limits<double>::infinity();
}

bool misleads(const Comparison& comparison) {
  const auto& waiting = metric_of(comparison, "wait_frac").ratio;
  const auto& rate = metric_of(comparison, "ex/s").ratio;
  if (!waiting || !rate || waiting->value > kClearFall) return false;
  if (waiting->low && !waiting->surely_below()) return false;
  const MetricPair& share = metric_of(comparison, "wait_frac");
  if (share.a - share.b < kLeastFall) return false;
  return !(rate->value >= kClearRise && (rate->surely_above() || !rate->low));
}

}  // namespace

std::vector<std::string> metric_names() {
  std::vector<std::string> names;
  for (const Metric& metric : kMetrics) names.emplace_back(metric.name);
  names.emplace_back(kOutputs);
  return names;
}

Outputs compare_outputs(std::span<const std::string> a, std::span<const std::string> b) {
  Outputs outputs{.batches = std::min(a.size(), b.size()), .first_difference = std::nullopt};
  for (size_t i = 0; i < outputs.batches && !outputs.first_difference; ++i) {
    if (a[i] != b[i]) outputs.first_difference = i;
  }
  return outputs;
}

const MetricPair& metric_of(const Comparison& comparison, const std::string& name) {
  for (const MetricPair& metric : comparison.metrics) {
    if (metric.name == name) return metric;
  }
  throw std::logic_error("no metric '" + name + "'");
}

const Report* typical(const std::vector<Report>& runs) {
  if (runs.empty()) return nullptr;
  std::vector<const Report*> order;
  for (const Report& run : runs) order.push_back(&run);
  const auto middle = order.begin() + std::ssize(order) / 2;
  std::nth_element(order.begin(), middle, order.end(), [](const Report* x, const Report* y) {
    return x->examples_per_s < y->examples_per_s;
  });
  return *middle;
}

void conclude(const std::vector<Condition>& conditions, Comparison* comparison) {
  add_metrics(comparison);
  add_nodes(comparison);
  add_edges(comparison);
  comparison->wait_misleads = misleads(*comparison);
  for (const Condition& condition : conditions) {
    const std::optional<double> value = value_of(*comparison, condition.metric);
    comparison->conditions.push_back({condition, value, value && condition.holds(*value)});
  }
}

}  // namespace penstock
