#include "report/json_schema.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "penstock/schema.h"
#include "plan/limits.h"
#include "report/schema_doc.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kIdentifier = "^[A-Za-z_][A-Za-z0-9_-]*$";
constexpr const char* kDuration = "^[0-9]+(\\.[0-9]+)? ?(ns|us|ms|s|min|h)$";
constexpr const char* kBytes = "^[0-9]+(\\.[0-9]+)? ?([KMGT]iB|[kKMGT]?B)$";

Json definition(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

/// A value, or a text in which a variable of the environment stands for it.
Json or_env(Json schema) {
  return {{"anyOf", Json::array({std::move(schema), definition("env")})}};
}

Json documented(Json schema, const std::string& doc) {
  schema["description"] = doc;
  return schema;
}

Json whole(double low, std::optional<double> high = std::nullopt) {
  Json schema = {{"type", "integer"}, {"minimum", low}};
  if (high) schema["maximum"] = *high;
  return or_env(std::move(schema));
}

Json words(const std::vector<std::string>& choices) { return or_env({{"enum", choices}}); }

Json object(Json properties, Json required = Json::array()) {
  Json schema = {
      {"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

// ---- parameters ----

Json with_range(Json schema, const Param& param) {
  if (param.low) schema["minimum"] = *param.low;
  if (param.high) schema["maximum"] = *param.high;
  return schema;
}

/// One value; of a list, one of its items.
Json scalar_of(const Param& param) {
  switch (param.type) {
    case ParamType::kBool:
      return {{"type", "boolean"}};
    case ParamType::kInt:
    case ParamType::kIntList:
      return with_range({{"type", "integer"}}, param);
    case ParamType::kFloat:
    case ParamType::kFloatList:
      return with_range({{"type", "number"}}, param);
    case ParamType::kDuration:
      return definition("duration");
    case ParamType::kBytes:
      return definition("bytes");
    case ParamType::kChoice:
      return {{"enum", param.choices}};
    case ParamType::kDType:
      return definition("dtype");
    case ParamType::kPath:
      return {{"type", Json::array({"string", "number", "boolean"})}};
    case ParamType::kString:
    case ParamType::kStringList:
      break;
  }
  // A text is kept as it is written, also where a reader sees a number in it.
  return {{"type", Json::array({"string", "number", "boolean", "null"})}};
}

bool is_list(ParamType type) {
  return type == ParamType::kIntList || type == ParamType::kFloatList ||
         type == ParamType::kStringList;
}

struct DefaultJson {
  Json operator()(std::monostate) const { return nullptr; }
  template <typename T>
  Json operator()(const T& value) const {
    return Json(value);
  }
};

Json schema_of(const Param& param) {
  Json alternatives = Json::array({scalar_of(param)});
  if (is_list(param.type)) {
    Json list = {{"type", "array"}, {"items", or_env(scalar_of(param))}};
    if (param.min_items > 0) list["minItems"] = param.min_items;
    if (param.max_items > 0) list["maxItems"] = param.max_items;
    alternatives.push_back(std::move(list));
  }
  alternatives.push_back(definition("env"));
  const ParamWords text = words_of(param);
  Json schema = {{"description", text.doc + (text.unit.empty() ? "" : " In " + text.unit + ".")},
                 {"anyOf", std::move(alternatives)}};
  if (!param.deprecated.empty()) schema["deprecated"] = true;
  const bool as_written = param.type != ParamType::kDuration && param.type != ParamType::kBytes;
  Json value = std::visit(DefaultJson{}, param.default_value);
  if (!value.is_null()) schema["default"] = as_written ? value : Json(text.default_value);
  return schema;
}

Json params_of(const Schema& schema) {
  Json properties = Json::object(), required = Json::array();
  for (const Param& param : all_params(schema)) {
    properties[param.name] = schema_of(param);
    if (param.required) required.push_back(param.name);
  }
  Json result = object(std::move(properties), required);
  if (required.empty()) result["type"] = Json::array({"object", "null"});
  return result;
}

/// What `op: NAME` means for the other keys of its node.
Json rule_of(const std::string& name, const Schema& schema) {
  Json then = {{"properties", {{"params", definition("params_" + name)}}}};
  for (const Param& param : schema.params()) {
    if (param.required) then["required"] = Json::array({"params"});
  }
  return {{"if", {{"properties", {{"op", {{"const", name}}}}}, {"required", Json::array({"op"})}}},
          {"then", std::move(then)}};
}

// ---- the rest of the format ----

Json queue() {
  return object({{"items", whole(1, kMaxQueueItems)}, {"bytes", or_env(definition("bytes"))}});
}

Json on_error() {
  Json mapping =
      object({{"policy", words({"fail", "skip"})},
              {"max_count", whole(0)},
              {"max_fraction", or_env({{"type", "number"}, {"minimum", 0}, {"maximum", 1}})}});
  return {{"anyOf", Json::array({words({"fail", "skip"}), std::move(mapping)})}};
}

Json from() {
  const Json one = {{"type", "string"}};
  Json list = {{"type", "array"}, {"items", one}, {"minItems", 1}};
  Json mapping = {{"type", "object"}, {"additionalProperties", one}, {"minProperties", 1}};
  return {{"anyOf", Json::array({one, std::move(list), std::move(mapping)})}};
}

Json paths() {
  const Json one = {{"type", "string"}, {"minLength", 1}};
  return {{"anyOf", Json::array({one, {{"type", "array"}, {"items", one}}})}};
}

Json node(const Registry& registry) {
  Json ops = Json::array(), rules = Json::array();
  for (const std::string& name : registry.names()) {
    const Schema& schema = registry.find(name)->def.schema;
    ops.push_back({{"const", name}, {"description", schema.doc()}});
    rules.push_back(rule_of(name, schema));
  }
  Json schema = object(
      {{"id", documented({{"type", "string"}, {"pattern", kIdentifier}},
                         "Its name in messages, reports and `from`.")},
       {"op", documented({{"anyOf", std::move(ops)}}, "The operator.")},
       {"params", documented({{"type", Json::array({"object", "null"})}}, "Of the operator.")},
       {"from", documented(from(), "Where its items come from; left out: the node above.")},
       {"concurrency",
        documented(whole(1, kMaxConcurrency), "How many of its firings run at a time.")},
       {"order", documented(words({"preserve", "any"}), "any: results go on as they are ready.")},
       {"queue", documented(definition("queue"), "Bounds of each edge into this node.")},
       {"on_error", documented(on_error(), "What happens to a sample that fails.")},
       {"stream", documented({{"type", Json::array({"string", "number", "boolean"})}},
                             "Of the random numbers; left out: the id.")}},
      Json::array({"id", "op"}));
  schema["allOf"] = std::move(rules);
  return schema;
}

Json consumer() {
  Json schema = object({{"from", {{"type", "string"}, {"pattern", kIdentifier}}},
                        {"queue", definition("queue")},
                        {"spin", or_env(definition("duration"))},
                        {"sleep", or_env(definition("duration"))}});
  schema["not"] = {{"required", Json::array({"spin", "sleep"})}};
  return schema;
}

Json definitions(const Registry& registry) {
  Json defs = {
      {"env", {{"type", "string"}, {"pattern", "\\$\\{env:"}}},
      {"duration",
       {{"anyOf", Json::array({{{"const", 0}}, {{"type", "string"}, {"pattern", kDuration}}})}}},
      {"bytes",
       {{"anyOf", Json::array({{{"const", 0}}, {{"type", "string"}, {"pattern", kBytes}}})}}},
      {"dtype",
       {{"enum", Json::array({"uint8", "int8", "uint16", "int16", "int32", "int64", "float16",
                              "float32", "float64", "bool"})}}},
      {"queue", queue()},
      {"node", node(registry)},
      {"consumer", consumer()}};
  for (const std::string& name : registry.names()) {
    defs["params_" + name] = params_of(registry.find(name)->def.schema);
  }
  return defs;
}

Json top_properties() {
  const Json text = {{"type", Json::array({"string", "number", "boolean"})}};
  Json threads = {{"anyOf", Json::array({{{"const", "auto"}}, whole(1, kMaxThreads)})}};
  return {
      {"penstock", documented({{"const", 1}}, "Version of the format.")},
      {"name", documented(text, "For reports.")},
      {"seed", documented(whole(0), "Of every random number and every shuffle.")},
      {"threads", documented(std::move(threads), "CPU threads; auto: affinity and quota.")},
      {"workers", documented({{"const", 0}}, "0: no threads, all inside the consumer's call.")},
      {"memory", documented(or_env(definition("bytes")), "Bytes in flight.")},
      {"epochs", documented(whole(1, 4294967295.0), "The run's length in epochs.")},
      {"batches", documented(whole(1), "The run's length in batches.")},
      {"fuse", documented(or_env({{"type", "boolean"}}), "May nodes run back to back as a unit?")},
      {"plugins", documented(paths(), "Operator libraries, relative to this file.")},
      {"include", documented(paths(), "Pipelines whose nodes come first.")},
      {"nodes", documented({{"type", "array"}, {"items", definition("node")}, {"minItems", 1}},
                           "The graph.")},
      {"consumer", documented(definition("consumer"), "The training loop.")}};
}

}  // namespace

std::string format_json_schema(const Registry& registry) {
  Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                 {"title", "Penstock pipeline"}};
  schema.update(object(top_properties(), Json::array({"penstock"})));
  schema["patternProperties"] = {{"^x-", true}};
  schema["anyOf"] = Json::array(
      {{{"required", Json::array({"nodes"})}}, {{"required", Json::array({"include"})}}});
  schema["$defs"] = definitions(registry);
  return schema.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock
