#pragma once
/// Pipelines made in C++: a fluent builder for GraphSpec, and a plan of it or a test failure.
///
///   auto plan = plan_or_throw(PlanBuilder()
///                                 .node("read", "numbers").param("sizes", "[4]")
///                                 .node("double", "pass").concurrency(2)
///                                 .node("batch", "group").param("size", "2"),
///                             registry);

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plan/graph_spec.h"
#include "plan/plan.h"

namespace penstock {

class PlanBuilder {
 public:
  /// Begins a node; the calls below up to the next node() are about it.
  PlanBuilder& node(std::string id, std::string op) {
    NodeSpec node;
    node.id = std::move(id);
    node.op = std::move(op);
    spec_.nodes.push_back(std::move(node));
    return *this;
  }
  /// In-edges: "a" or "a.image". Without a call: the node above.
  PlanBuilder& from(const std::vector<std::string>& nodes) {
    last().from_given = true;
    for (const std::string& text : nodes) {
      FromSpec from;
      const size_t dot = text.find('.');
      from.node = text.substr(0, dot);
      if (dot != std::string::npos) from.field = text.substr(dot + 1);
      last().from.push_back(std::move(from));
    }
    return *this;
  }
  /// In-edges with a name each: {{"left", "a"}, {"right", "b"}}.
  PlanBuilder& from_named(const std::vector<std::pair<std::string, std::string>>& inputs) {
    last().from_given = true;
    for (const auto& [name, node] : inputs) {
      last().from.push_back({.node = node, .field = "", .name = name, .at = {}, .source_line = ""});
    }
    return *this;
  }
  /// A parameter as in YAML, unquoted: "4", "8ms", "true"; "[1, 2]" is a list.
  PlanBuilder& param(const std::string& key, const std::string& text) {
    return param(key, text.starts_with('[') ? list_of(text) : Value::scalar(text));
  }
  PlanBuilder& param(const std::string& key, Value value) {
    last().params.emplace_back(Value::scalar(key), std::move(value));
    return *this;
  }
  PlanBuilder& param(const std::string& key, int64_t number) {
    return param(key, Value::scalar(std::to_string(number)));
  }
  PlanBuilder& param(const std::string& key, int number) { return param(key, int64_t{number}); }
  PlanBuilder& concurrency(int64_t slots) { return last().concurrency = slots, *this; }
  PlanBuilder& any() { return last().order = Order::kAny, *this; }
  /// Of the edge into the node; 0: left out.
  PlanBuilder& queue(uint64_t items, uint64_t bytes = 0) {
    if (items > 0) last().queue.items = items;
    if (bytes > 0) last().queue.bytes = bytes;
    return *this;
  }
  PlanBuilder& skip(std::optional<uint64_t> max_count = std::nullopt,
                    std::optional<double> max_fraction = std::nullopt) {
    last().on_error = {true, max_count, max_fraction, {}};
    return *this;
  }
  PlanBuilder& stream(std::string name) { return last().stream = std::move(name), *this; }

  PlanBuilder& consumer(std::string from, uint64_t queue_items = 0) {
    spec_.consumer.from = std::move(from);
    if (queue_items > 0) spec_.consumer.queue.items = queue_items;
    return *this;
  }
  PlanBuilder& seed(uint64_t seed) { return spec_.seed = seed, *this; }
  PlanBuilder& epochs(uint64_t epochs) { return spec_.epochs = epochs, *this; }
  PlanBuilder& batches(uint64_t batches) { return spec_.batches = batches, *this; }
  PlanBuilder& memory(uint64_t bytes) { return spec_.memory_bytes = bytes, *this; }
  PlanBuilder& threads(int64_t threads) { return spec_.threads = threads, *this; }
  /// `workers: 0`.
  PlanBuilder& serial() { return spec_.serial = true, *this; }

  const GraphSpec& spec() const { return spec_; }

 private:
  NodeSpec& last() { return spec_.nodes.back(); }
  static Value list_of(const std::string& text) {
    std::vector<Value> items;
    std::string item;
    for (const char c : text) {
      if (c == ',' || c == ']') {
        if (!item.empty()) items.push_back(Value::scalar(std::exchange(item, "")));
      } else if (c != '[' && c != ' ') {
        item += c;
      }
    }
    return Value::list(std::move(items));
  }

  GraphSpec spec_;
};

/// The plan; throws InvalidPipeline's text otherwise.
inline std::shared_ptr<const Plan> plan_or_throw(const GraphSpec& spec, const Registry& registry) {
  std::vector<Diagnostic> diagnostics;
  auto plan = make_plan(spec, registry, &diagnostics);
  if (plan == nullptr) throw std::runtime_error(format_text(diagnostics));
  return plan;
}
inline std::shared_ptr<const Plan> plan_or_throw(const PlanBuilder& builder,
                                                 const Registry& registry) {
  return plan_or_throw(builder.spec(), registry);
}

/// What make_plan() says, as users see it; "" for a good pipeline.
inline std::string plan_errors(const PlanBuilder& builder, const Registry& registry) {
  std::vector<Diagnostic> diagnostics;
  make_plan(builder.spec(), registry, &diagnostics);
  return format_text(diagnostics);
}

}  // namespace penstock
