#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "report/sample.h"
#include "report/words.h"

namespace penstock {
namespace {

constexpr size_t kFormsShown = 3;

std::string forms_text(const std::vector<std::string>& forms) {
  std::string text;
  for (size_t i = 0; i < forms.size() && i < kFormsShown; ++i) {
    if (i > 0) text += "; ";
    text += forms[i];
  }
  if (forms.size() > kFormsShown) text += fmt::format("; {} more", forms.size() - kFormsShown);
  return text;
}

}  // namespace

bool has_errors(const std::vector<NodeSample>& samples) {
  for (const NodeSample& node : samples) {
    if (!node.errors.empty() || !node.untrue.empty()) return true;
  }
  return false;
}

std::string format_text(const std::vector<NodeSample>& samples) {
  std::string text;
  for (const NodeSample& node : samples) {
    text += fmt::format("{} ({}): {}", node.id, node.op, count_text(node.items, "item", "items"));
    if (node.dropped > 0) text += fmt::format(", {} filtered", node.dropped);
    if (!node.errors.empty()) text += fmt::format(", {} failed", node.errors.size());
    text += "\n";
    size_t width = 0;
    for (const FieldSample& field : node.fields) width = std::max(width, width_of(field.name));
    for (const FieldSample& field : node.fields) {
      text += fmt::format("  {}{}  {}\n", field.name,
                          std::string(width - width_of(field.name), ' '), forms_text(field.forms));
    }
  }
  return text;
}

std::string format_json(const std::vector<NodeSample>& samples) {
  using Json = nlohmann::ordered_json;
  Json nodes = Json::array();
  for (const NodeSample& node : samples) {
    Json fields = Json::object();
    for (const FieldSample& field : node.fields) fields[field.name] = field.forms;
    Json errors = Json::array();
    for (const ErrorInfo& error : node.errors) errors.push_back(error.describe());
    nodes.push_back({{"id", node.id},
                     {"op", node.op},
                     {"items", node.items},
                     {"dropped", node.dropped},
                     {"fields", std::move(fields)},
                     {"errors", std::move(errors)},
                     {"untrue", node.untrue}});
  }
  const Json all = {{"nodes", std::move(nodes)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock
