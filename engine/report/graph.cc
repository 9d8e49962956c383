#include "report/graph.h"

#include <fmt/core.h>

#include "report/build.h"
#include "report/words.h"

namespace penstock {
namespace {

std::string capacity_text(const PlanEdge& edge) {
  std::string text = std::to_string(edge.capacity);
  if (edge.capacity_bytes > 0) text += ", " + bytes_text(edge.capacity_bytes);
  return text;
}

/// "read_folder x 8", the number of slots only where there are several.
std::string use_text(const PlanNode& node) {
  return node.concurrency > 1 ? fmt::format("{} x {}", node.op, node.concurrency) : node.op;
}

std::string quoted(const std::string& text, const std::string& escaped_quote) {
  std::string result;
  for (const char c : text) {
    if (c == '"') {
      result += escaped_quote;
    } else if (c == '\\') {
      result += "\\\\";
    } else {
      result += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return result;
}

std::string_view shape_of(const PlanNode& node) {
  return node.where == Where::kCpu ? "box" : "box, style=rounded";
}

std::string inputs_text(const Plan& plan, const PlanNode& node) {
  std::string text;
  for (const int e : node.in_edges) {
    const PlanEdge& edge = plan.edges()[static_cast<size_t>(e)];
    text += fmt::format("{}{} [{}]", text.empty() ? "" : ", ", node_name(plan, edge.from),
                        capacity_text(edge));
  }
  return text;
}

std::string node_lines(const Plan& plan) {
  using enum Table::Align;
  Table table({kLeft, kLeft, kLeft});
  table.row({"node", "op", "from [capacity]"});
  for (const PlanNode& node : plan.nodes()) {
    table.row({node.id, use_text(node), inputs_text(plan, node)});
  }
  const PlanEdge& last = plan.edges()[static_cast<size_t>(plan.consumer_edge())];
  table.row(
      {"consumer", "", fmt::format("{} [{}]", node_name(plan, last.from), capacity_text(last))});
  return table.text();
}

std::string unit_lines(const Plan& plan) {
  using enum Table::Align;
  Table table({kRight, kLeft, kRight, kLeft, kLeft, kLeft, kRight, kLeft});
  table.row({"unit", "nodes", "slots", "order", "state", "runs on", "depth", "from [capacity]"});
  for (size_t u = 0; u < plan.units().size(); ++u) {
    const PlanUnit& unit = plan.units()[u];
    std::string ids;
    for (const int n : unit.nodes) {
      ids += (ids.empty() ? "" : " + ") + plan.nodes()[static_cast<size_t>(n)].id;
    }
    const PlanNode& first = plan.nodes()[static_cast<size_t>(unit.nodes.front())];
    const bool any = first.order == Order::kAny;
    table.row({std::to_string(u), ids, std::to_string(first.concurrency), any ? "any" : "preserve",
               std::string(name_of(first.state)), std::string(name_of(first.where)),
               std::to_string(first.depth), inputs_text(plan, first)});
  }
  return table.text();
}

}  // namespace

std::string format_dot(const Plan& plan) {
  std::string text = fmt::format("digraph \"{}\" {{\n  rankdir=LR;\n  node [fontname=\"sans\"];\n",
                                 quoted(plan.name(), "\\\""));
  for (const PlanNode& node : plan.nodes()) {
    text += fmt::format("  \"{}\" [shape={}, label=\"{}\\n{}\"];\n", quoted(node.id, "\\\""),
                        shape_of(node), quoted(node.id, "\\\""), quoted(use_text(node), "\\\""));
  }
  text += "  \"consumer\" [shape=doublecircle];\n";
  for (const PlanEdge& edge : plan.edges()) {
    text += fmt::format("  \"{}\" -> \"{}\" [label=\"{}\"];\n",
                        quoted(node_name(plan, edge.from), "\\\""),
                        quoted(node_name(plan, edge.to), "\\\""), capacity_text(edge));
  }
  return text + "}\n";
}

std::string format_mermaid(const Plan& plan) {
  std::string text = "flowchart LR\n";
  const auto name = [&](int node) {
    return static_cast<size_t>(node) < plan.nodes().size() ? fmt::format("n{}", node) : "consumer";
  };
  for (size_t n = 0; n < plan.nodes().size(); ++n) {
    const PlanNode& node = plan.nodes()[n];
    text += fmt::format("  n{}[\"{}<br/>{}\"]\n", n, quoted(node.id, "#quot;"),
                        quoted(use_text(node), "#quot;"));
  }
  text += "  consumer((consumer))\n";
  for (const PlanEdge& edge : plan.edges()) {
    text += fmt::format("  {} -->|{}| {}\n", name(edge.from), capacity_text(edge), name(edge.to));
  }
  return text;
}

std::string format_plan_text(const Plan& plan, bool units) {
  return units ? unit_lines(plan) : node_lines(plan);
}

}  // namespace penstock
