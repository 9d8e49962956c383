#include "plan/graph_text.h"

#include <algorithm>
#include <array>

#include "plan/units.h"

namespace penstock {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + "\"";
}

std::string node_name(const Plan& plan, int index) {
  const auto i = static_cast<size_t>(index);
  return i < plan.nodes().size() ? plan.nodes()[i].id : "consumer";
}

// "2 slots, any order", or "" for one slot in order.
std::string slots_text(const PlanNode& node) {
  std::string text;
  if (node.concurrency > 1) text = std::to_string(node.concurrency) + " slots";
  if (node.order == Order::kAny) text += text.empty() ? "any order" : ", any order";
  return text;
}

std::string capacity_text(const PlanEdge& edge) {
  std::string text = std::to_string(edge.capacity);
  if (edge.capacity_bytes > 0) {
    text += ", " + format_bytes(static_cast<int64_t>(edge.capacity_bytes));
  }
  return text;
}

// Lines of a node's box: id, operator, slots.
std::vector<std::string> label_lines(const PlanNode& node) {
  std::vector<std::string> lines = {node.id, node.op};
  if (const std::string slots = slots_text(node); !slots.empty()) lines.push_back(slots);
  return lines;
}

std::string joined(const std::vector<std::string>& parts, const std::string& between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

constexpr size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;

Row unit_row(const Plan& plan, size_t index) {
  const PlanUnit& unit = plan.units()[index];
  const PlanNode& first = plan.nodes()[static_cast<size_t>(unit.nodes.front())];
  const PlanNode& last = plan.nodes()[static_cast<size_t>(unit.nodes.back())];
  std::vector<std::string> ids, ops, inputs;
  for (const int node : unit.nodes) {
    ids.push_back(plan.nodes()[static_cast<size_t>(node)].id);
    ops.push_back(plan.nodes()[static_cast<size_t>(node)].op);
  }
  for (const int edge : first.in_edges) {
    const PlanEdge& e = plan.edges()[static_cast<size_t>(edge)];
    inputs.push_back(node_name(plan, e.from) + " (" + capacity_text(e) + ")");
  }
  return {joined(ids, " + "),
          joined(ops, " + "),
          std::string(name_of(first.kind)),
          std::string(name_of(first.where)),
          std::to_string(first.concurrency),
          last.order == Order::kAny ? "any" : "preserve",
          inputs.empty() ? "-" : joined(inputs, ", ")};
}

}  // namespace

std::string graph_dot(const Plan& plan) {
  std::string text = "digraph " + quoted(plan.name()) + " {\n  rankdir=LR;\n  node [shape=box];\n";
  for (const PlanNode& node : plan.nodes()) {
    text += "  " + quoted(node.id) + " [label=\"" + joined(label_lines(node), "\\n") + "\"];\n";
  }
  text += "  \"consumer\" [shape=ellipse];\n";
  for (const PlanEdge& edge : plan.edges()) {
    text += "  " + quoted(node_name(plan, edge.from)) + " -> " + quoted(node_name(plan, edge.to)) +
            " [label=" + quoted(capacity_text(edge)) + "];\n";
  }
  return text + "}\n";
}

std::string graph_mermaid(const Plan& plan) {
  // Ids of Mermaid have no '-' and must not be one of its words, hence the numbers.
  std::string text = "flowchart LR\n";
  for (size_t i = 0; i < plan.nodes().size(); ++i) {
    text +=
        "  n" + std::to_string(i) + "[\"" + joined(label_lines(plan.nodes()[i]), "<br/>") + "\"]\n";
  }
  text += "  n" + std::to_string(plan.nodes().size()) + "([\"consumer\"])\n";
  for (const PlanEdge& edge : plan.edges()) {
    text += "  n" + std::to_string(edge.from) + " -->|\"" + capacity_text(edge) + "\"| n" +
            std::to_string(edge.to) + "\n";
  }
  return text;
}

std::string graph_units(const Plan& plan) {
  std::vector<Row> rows = {{"unit", "op", "kind", "where", "slots", "order", "from (capacity)"}};
  for (size_t i = 0; i < plan.units().size(); ++i) rows.push_back(unit_row(plan, i));
  const PlanEdge& last = plan.edges()[static_cast<size_t>(plan.consumer_edge())];
  rows.push_back({"consumer", "-", "-", "-", "-", "-",
                  node_name(plan, last.from) + " (" + capacity_text(last) + ")"});
  std::array<size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text =
      plan.name() + ": plan " + plan.fingerprint() + ", seed " + std::to_string(plan.seed()) + "\n";
  for (const Row& row : rows) {
    for (size_t i = 0; i + 1 < kColumns; ++i) {
      text += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
    }
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace penstock
