#include "compare/plan_diff.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "plan/param_value.h"

namespace penstock {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kConsumer = "consumer";
constexpr const char* kNone = "-";

const PlanNode* find_node(const Plan& plan, const std::string& id) {
  const auto found = std::find_if(plan.nodes().begin(), plan.nodes().end(),
                                  [&id](const PlanNode& node) { return node.id == id; });
  return found == plan.nodes().end() ? nullptr : &*found;
}

std::string id_of(const Plan& plan, int node) {
  const auto index = static_cast<size_t>(node);
  return index < plan.nodes().size() ? plan.nodes()[index].id : kConsumer;
}

/// Ids by depth, those of one depth as in the file.
Names in_order(const Plan& plan) {
  std::vector<size_t> order(plan.nodes().size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t x, size_t y) {
    return plan.nodes()[x].depth < plan.nodes()[y].depth;
  });
  Names ids;
  for (const size_t node : order) ids.push_back(plan.nodes()[node].id);
  return ids;
}

Names only_known(const Names& ids, const Plan& other) {
  Names known;
  for (const std::string& id : ids) {
    if (find_node(other, id) != nullptr) known.push_back(id);
  }
  return known;
}

/// Those of a longest common subsequence.
std::set<std::string> common_order(const Names& a, const Names& b) {
  std::vector<std::vector<size_t>> length(a.size() + 1, std::vector<size_t>(b.size() + 1, 0));
  for (size_t i = a.size(); i-- > 0;) {
    for (size_t j = b.size(); j-- > 0;) {
      length[i][j] =
          a[i] == b[j] ? length[i + 1][j + 1] + 1 : std::max(length[i + 1][j], length[i][j + 1]);
    }
  }
  std::set<std::string> common;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) {
      common.insert(a[i]);
      ++i, ++j;
    } else if (length[i + 1][j] >= length[i][j + 1]) {
      ++i;
    } else {
      ++j;
    }
  }
  return common;
}

/// Whom a node (or the consumer) follows, looking through nodes that `keep` does not have.
Names followed(const Plan& plan, const std::string& id, const std::set<std::string>& keep) {
  std::vector<int> edges;
  if (id == kConsumer) {
    edges = {plan.consumer_edge()};
  } else if (const PlanNode* node = find_node(plan, id)) {
    edges = node->in_edges;
  }
  Names names;
  for (const int e : edges) {
    const std::string from = id_of(plan, plan.edges()[static_cast<size_t>(e)].from);
    if (keep.count(from) > 0) {
      names.push_back(from);
    } else {
      const Names beyond = followed(plan, from, keep);
      names.insert(names.end(), beyond.begin(), beyond.end());
    }
  }
  return names;
}

void compare_values(const std::string& what, const std::string& a, const std::string& b,
                    std::vector<ValueChange>* changes) {
  if (a != b) changes->push_back({what, a, b});
}

std::string policy_text(const ErrorPolicy& policy) {
  if (!policy.skip) return "fail";
  std::string text = "skip";
  if (policy.max_count) text += ", at most " + std::to_string(*policy.max_count);
  if (policy.max_fraction) text += ", at most " + canonical_text(*policy.max_fraction);
  return text;
}

/// A value as it stands in YAML.
std::string yaml_text(const Value& value) {
  std::string text;
  switch (value.kind) {
    case Value::Kind::kNull:
      return "null";
    case Value::Kind::kScalar:
      return value.text;
    case Value::Kind::kList:
      for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + yaml_text(item);
      return "[" + text + "]";
    case Value::Kind::kMap:
      break;
  }
  for (const auto& [key, entry] : value.entries) {
    text += (text.empty() ? "" : ", ") + key.text + ": " + yaml_text(entry);
  }
  return "{" + text + "}";
}

/// As written; "default" where it is not.
std::string written(const Plan& plan, const std::string& id, const std::string& param) {
  for (const NodeSpec& node : plan.spec().nodes) {
    if (node.id != id) continue;
    for (const auto& [key, value] : node.params) {
      if (key.text == param) return yaml_text(value);
    }
  }
  return "default";
}

/// A text parameter's value as the operator has it; `otherwise` where it has none.
std::string text_value(const Params& params, const std::string& name, std::string otherwise) {
  for (const auto& [known, value] : params.all()) {
    const auto* text = std::get_if<std::string>(&value);
    if (known == name && text != nullptr) return *text;
  }
  return otherwise;
}

/// Parameters by name in a text that is equal for equal values.
std::map<std::string, std::string> canonical_params(const PlanNode& node) {
  std::map<std::string, std::string> params;
  for (const auto& [name, value] : node.params.all()) params[name] = canonical_text(value);
  params["shuffle"] = node.shuffle ? "true" : "false";
  params["cycle"] = std::to_string(node.cycle);
  params["chunk"] = std::to_string(node.chunk);
  return params;
}

/// Both nodes have the same id, `a` in `plan_a`.
void compare_params(const Plan& plan_a, const PlanNode& a, const Plan& plan_b, const PlanNode& b,
                    std::vector<ValueChange>* changes) {
  const auto of_a = canonical_params(a), of_b = canonical_params(b);
  std::set<std::string> names;
  for (const auto* params : {&of_a, &of_b}) {
    for (const auto& [name, value] : *params) names.insert(name);
  }
  for (const std::string& name : names) {
    const auto here = of_a.find(name), there = of_b.find(name);
    if (here != of_a.end() && there != of_b.end() && here->second == there->second) continue;
    ValueChange change = {"params." + name,
                          here == of_a.end() ? kNone : written(plan_a, a.id, name),
                          there == of_b.end() ? kNone : written(plan_b, b.id, name)};
    // A relative path is one of its own file.
    if (change.a == change.b) {
      change.a = text_value(a.params, name, change.a);
      change.b = text_value(b.params, name, change.b);
    }
    changes->push_back(std::move(change));
  }
}

/// A node's inputs as they are written, and by the nodes that they come from.
struct Inputs {
  std::string text;
  Names nodes;
};

Inputs inputs_of(const Plan& plan, const std::string& id) {
  Inputs inputs;
  for (const NodeSpec& node : plan.spec().nodes) {
    if (node.id != id) continue;
    for (const FromSpec& from : node.from) {
      inputs.text += (inputs.text.empty() ? "" : ", ") +
                     (from.name.empty() ? "" : from.name + ": ") + from.node +
                     (from.field.empty() ? "" : "." + from.field);
      inputs.nodes.push_back(from.node);
    }
  }
  std::sort(inputs.nodes.begin(), inputs.nodes.end());
  return inputs;
}

/// Order, fields and names of several inputs; edges do not show them.
void compare_inputs(const Plan& plan_a, const Plan& plan_b, const std::string& id,
                    std::vector<ValueChange>* changes) {
  const Inputs a = inputs_of(plan_a, id), b = inputs_of(plan_b, id);
  if (a.nodes.size() > 1 && a.nodes == b.nodes) compare_values("from", a.text, b.text, changes);
}

std::vector<ValueChange> node_changes(const Plan& plan_a, const PlanNode& a, const Plan& plan_b,
                                      const PlanNode& b) {
  std::vector<ValueChange> changes;
  const auto order = [](const PlanNode& n) { return n.order == Order::kAny ? "any" : "preserve"; };
  compare_values("op", a.op, b.op, &changes);
  compare_inputs(plan_a, plan_b, a.id, &changes);
  compare_params(plan_a, a, plan_b, b, &changes);
  compare_values("concurrency", std::to_string(a.concurrency), std::to_string(b.concurrency),
                 &changes);
  compare_values("order", order(a), order(b), &changes);
  compare_values("on_error", policy_text(a.policy), policy_text(b.policy), &changes);
  if (a.random && b.random) {
    compare_values("stream", std::to_string(a.stream), std::to_string(b.stream), &changes);
  }
  return changes;
}

std::string capacity_text(const PlanEdge& edge) {
  std::string text = std::to_string(edge.capacity) + (edge.capacity == 1 ? " item" : " items");
  if (edge.capacity_bytes > 0) text += ", " + std::to_string(edge.capacity_bytes) + " bytes";
  return text;
}

using Edges = std::map<std::pair<std::string, std::string>, std::string>;

Edges edges_of(const Plan& plan) {
  Edges edges;
  for (const PlanEdge& edge : plan.edges()) {
    edges[{id_of(plan, edge.from), id_of(plan, edge.to)}] = capacity_text(edge);
  }
  return edges;
}

/// Edges between nodes that keep their place, in the plan's order, what is between left out.
std::vector<EdgeName> kept_edges(const Plan& plan, const std::set<std::string>& kept) {
  std::vector<EdgeName> edges;
  Names targets = in_order(plan);
  targets.emplace_back(kConsumer);
  for (const std::string& to : targets) {
    if (to != kConsumer && kept.count(to) == 0) continue;
    for (const std::string& from : followed(plan, to, kept)) edges.push_back({from, to});
  }
  return edges;
}

std::vector<EdgeName> without(std::vector<EdgeName> edges, const std::vector<EdgeName>& others) {
  std::erase_if(edges, [&](const EdgeName& edge) {
    return std::any_of(others.begin(), others.end(), [&](const EdgeName& other) {
      return other.from == edge.from && other.to == edge.to;
    });
  });
  return edges;
}

std::string text_or_none(const std::optional<uint64_t>& value) {
  return value ? std::to_string(*value) : kNone;
}

std::vector<ValueChange> setting_changes(const Plan& a, const Plan& b) {
  std::vector<ValueChange> changes;
  const GraphSpec &x = a.spec(), &y = b.spec();
  const auto threads = [](const GraphSpec& spec) {
    return spec.threads ? std::to_string(*spec.threads) : std::string("auto");
  };
  const auto ms = [](int64_t ns) {
    return ns > 0 ? canonical_text(static_cast<double>(ns) / 1e6) + " ms" : kNone;
  };
  compare_values("seed", std::to_string(a.seed()), std::to_string(b.seed()), &changes);
  compare_values("workers", x.serial ? "0" : kNone, y.serial ? "0" : kNone, &changes);
  compare_values("threads", threads(x), threads(y), &changes);
  compare_values("memory", text_or_none(x.memory_bytes), text_or_none(y.memory_bytes), &changes);
  compare_values("epochs", text_or_none(x.epochs), text_or_none(y.epochs), &changes);
  compare_values("batches", text_or_none(x.batches), text_or_none(y.batches), &changes);
  compare_values("fuse", x.fuse ? "true" : "false", y.fuse ? "true" : "false", &changes);
  compare_values("consumer.spin", ms(a.consumer().spin_ns), ms(b.consumer().spin_ns), &changes);
  compare_values("consumer.sleep", ms(a.consumer().sleep_ns), ms(b.consumer().sleep_ns), &changes);
  return changes;
}

void compare_nodes(const Plan& a, const Plan& b, PlanDiff* result) {
  for (const std::string& id : in_order(a)) {
    const PlanNode* here = find_node(a, id);
    const PlanNode* there = find_node(b, id);
    if (there == nullptr) {
      result->removed.emplace_back(id, here->op);
      continue;
    }
    std::vector<ValueChange> values = node_changes(a, *here, b, *there);
    if (!values.empty()) result->changed.push_back({id, std::move(values)});
  }
  for (const std::string& id : in_order(b)) {
    if (find_node(a, id) == nullptr) result->added.emplace_back(id, find_node(b, id)->op);
  }
}

}  // namespace

PlanDiff diff(const Plan& a, const Plan& b) {
  PlanDiff result;
  compare_nodes(a, b, &result);
  const Names known_a = only_known(in_order(a), b), known_b = only_known(in_order(b), a);
  const std::set<std::string> both(known_a.begin(), known_a.end());
  const std::set<std::string> kept = common_order(known_a, known_b);
  for (const std::string& id : known_a) {
    if (kept.count(id) > 0) continue;
    result.moved.push_back({id, followed(a, id, both), followed(b, id, both)});
  }
  const std::vector<EdgeName> of_a = kept_edges(a, kept), of_b = kept_edges(b, kept);
  result.cut = without(of_a, of_b);
  result.drawn = without(of_b, of_a);
  const Edges edges_b = edges_of(b);
  for (const auto& [name, capacity] : edges_of(a)) {
    const auto found = edges_b.find(name);
    if (found != edges_b.end() && found->second != capacity) {
      result.resized.push_back({name.first, name.second, capacity, found->second});
    }
  }
  result.settings = setting_changes(a, b);
  result.same_batches = a.fingerprint() == b.fingerprint();
  return result;
}

}  // namespace penstock
