#include <nlohmann/json.hpp>

#include "penstock/plugin.h"
#include "report/comparison_format.h"
#include "report/failure.h"
#include "report/or_null.h"
#include "report/skipped.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const ValueChange& change) {
  return {{"what", change.what}, {"a", change.a}, {"b", change.b}};
}

Json json_of(const NodeChange& node) {
  Json values = Json::array();
  for (const ValueChange& change : node.values) values.push_back(json_of(change));
  return {{"id", node.id}, {"values", values}};
}

Json json_of(const NodeMove& move) {
  return {{"id", move.id}, {"after_a", move.after_a}, {"after_b", move.after_b}};
}

Json json_of(const EdgeName& edge) { return {{"from", edge.from}, {"to", edge.to}}; }

Json json_of(const EdgeChange& edge) {
  return {{"from", edge.from}, {"to", edge.to}, {"a", edge.a}, {"b", edge.b}};
}

Json json_of(const std::pair<std::string, std::string>& node) {
  return {{"id", node.first}, {"op", node.second}};
}

Json json_of(const RatioEstimate& ratio) {
  return {{"value", ratio.value}, {"low", or_null(ratio.low)}, {"high", or_null(ratio.high)}};
}

Json json_of(const MetricPair& metric) {
  return {{"name", metric.name},
          {"unit", metric.unit.empty() ? Json(nullptr) : Json(metric.unit)},
          {"a", metric.a},
          {"b", metric.b},
          {"ratio", metric.ratio ? json_of(*metric.ratio) : Json(nullptr)}};
}

Json json_of(const NodeFigures& node) {
  return {{"slots", node.slots},     {"service_ms", node.service_ms}, {"on_cpu", node.on_cpu},
          {"off_cpu", node.off_cpu}, {"ready", node.ready},           {"held", node.held},
          {"blocked", node.blocked}, {"starved", node.starved}};
}

Json json_of(const EdgeFigures& edge) {
  return {{"capacity", edge.capacity},
          {"fill_mean", edge.fill_mean},
          {"empty", edge.empty},
          {"full", edge.full},
          {"bytes_max", edge.bytes_max}};
}

Json json_of(const NodePair& node) {
  return {{"id", node.id},
          {"a", node.a ? json_of(*node.a) : Json(nullptr)},
          {"b", node.b ? json_of(*node.b) : Json(nullptr)}};
}

Json json_of(const EdgePair& edge) {
  return {{"from", edge.from},
          {"to", edge.to},
          {"a", edge.a ? json_of(*edge.a) : Json(nullptr)},
          {"b", edge.b ? json_of(*edge.b) : Json(nullptr)}};
}

Json json_of(const Outputs& outputs) {
  return {{"equal", outputs.equal()},
          {"batches", outputs.batches},
          {"first_difference", or_null(outputs.first_difference)}};
}

Json json_of(const ConditionResult& result) {
  // An infinite ratio has no number in JSON.
  const bool finite = result.value && *result.value < 1e300;
  return {{"condition", result.condition.text},
          {"value", finite ? Json(*result.value) : Json(nullptr)},
          {"failed", result.failed}};
}

template <typename T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

Json json_of(const PlanDiff& difference) {
  return {{"same_batches", difference.same_batches}, {"removed", list_of(difference.removed)},
          {"added", list_of(difference.added)},      {"moved", list_of(difference.moved)},
          {"changed", list_of(difference.changed)},  {"cut", list_of(difference.cut)},
          {"drawn", list_of(difference.drawn)},      {"resized", list_of(difference.resized)},
          {"settings", list_of(difference.settings)}};
}

Json reports_of(const std::vector<Report>& runs) {
  Json list = Json::array();
  for (const Report& run : runs) list.push_back(Json::parse(format_json(run)));
  return list;
}

}  // namespace

std::string format_json(const Comparison& comparison) {
  Json json = {
      {"compare", 1},
      {"status", comparison.status},
      {"penstock", kVersion},
      {"a", comparison.name_a},
      {"b", comparison.name_b},
      {"difference", json_of(comparison.difference)},
      {"outputs", comparison.outputs ? json_of(*comparison.outputs) : Json(nullptr)},
      {"metrics", list_of(comparison.metrics)},
      {"nodes", list_of(comparison.nodes)},
      {"edges", list_of(comparison.edges)},
      {"verdict", verdict_lines(comparison)},
      {"skipped",
       {{"a", count_of(skipped_in(comparison.a))}, {"b", count_of(skipped_in(comparison.b))}}},
      {"wait_misleads", comparison.wait_misleads},
      {"conditions", list_of(comparison.conditions)},
      {"runs", {{"a", reports_of(comparison.a)}, {"b", reports_of(comparison.b)}}}};
  if (comparison.error) json["error"] = json_of(*comparison.error);
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock
