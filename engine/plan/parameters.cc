#include "plan/parameters.h"

#include <algorithm>

#include "plan/param_value.h"

namespace penstock {
namespace {

constexpr int64_t kDefaultCycle = 4;
constexpr int64_t kDefaultChunk = 8;
constexpr double kMaxCycle = 4096;
constexpr double kMaxChunk = 1 << 20;

const Param* find_param(const std::vector<Param>& params, std::string_view name) {
  for (const Param& param : params) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

void complain_unknown(const NodeSpec& node, const Schema& schema, const std::vector<Param>& own,
                      const Value& key, Complaints* say) {
  static constexpr const char* kNodeKeys[] = {"id",    "op",    "from",     "concurrency",
                                              "order", "queue", "on_error", "stream"};
  std::vector<std::string> names;
  for (const Param& param : schema.params()) names.push_back(param.name);
  for (const Param& param : own) names.push_back(param.name);
  std::string help = suggestion(key.text, names, "its parameters are");
  const bool node_key = std::any_of(std::begin(kNodeKeys), std::end(kNodeKeys),
                                    [&](const char* name) { return key.text == name; });
  if (node_key) help = "'" + key.text + "' is a key of the node: write it beside params, not in it";
  if (names.empty() && !node_key) help = node.op + " takes no parameters";
  say->error("unknown-param", node.op + " has no parameter '" + key.text + "'",
             {key.at, key.source_line}, help);
}

const Value* value_of(const NodeSpec& node, const std::string& name) {
  for (const auto& [key, value] : node.params) {
    if (key.text == name) return &value;
  }
  return nullptr;
}

// A parameter that is not there was written wrongly, and that is said: not a second mistake.
bool is_misspelt(const NodeSpec& node, const Schema& schema, const std::string& name) {
  return std::any_of(node.params.begin(), node.params.end(), [&](const auto& entry) {
    const std::string& key = entry.first.text;
    if (schema.find(key) != nullptr) return false;
    const bool block = entry.second.kind == Value::Kind::kMap;  // `parms: {...}`
    return !did_you_mean(key, {name}).empty() || (block && !did_you_mean(key, {"params"}).empty());
  });
}

// The value of one parameter goes into `params`; what determines batches into `canonical`.
void take_param(const NodeSpec& node, const Schema& schema, const Param& param, Params* params,
                std::string* canonical, Complaints* say) {
  const Value* value = value_of(node, param.name);
  ParamValue result = param.default_value;
  if (value != nullptr) {
    const std::string path = "nodes." + node.id + ".params." + param.name;
    auto converted = convert_value(*value, param, path, base_dir_of(node, *value), say);
    if (!converted) return;
    result = std::move(*converted);
    if (!param.deprecated.empty()) {
      say->warning("deprecated-param", path + " is deprecated", {value->at, value->source_line},
                   "use " + param.deprecated);
    }
  } else if (param.required) {
    if (is_misspelt(node, schema, param.name)) return;
    say->error("missing-param", node.op + " needs the parameter '" + param.name + "'",
               {node.op_at, node.op_line}, param.doc);
    return;
  }
  // A path counts as it was written, so that a copy of a project elsewhere is the same pipeline.
  const bool written = param.type == ParamType::kPath && value != nullptr;
  *canonical += param.name + "=" + canonical_text(written ? ParamValue(value->text) : result) + ";";
  params->set(param.name, std::move(result));
}

}  // namespace

std::vector<Param> engine_params(Kind kind) {
  if (kind == Kind::kSource) {
    return {{.name = "shuffle",
             .type = ParamType::kBool,
             .doc = "Read the records of each epoch in an order drawn from the seed.",
             .default_value = false}};
  }
  if (kind == Kind::kExpand) {
    return {{.name = "cycle",
             .type = ParamType::kInt,
             .doc = "Inputs that are open at a time; their outputs come in turn.",
             .default_value = kDefaultCycle,
             .low = 1,
             .high = kMaxCycle},
            {.name = "chunk",
             .type = ParamType::kInt,
             .doc = "Outputs taken from one input before the next one's turn.",
             .default_value = kDefaultChunk,
             .low = 1,
             .high = kMaxChunk}};
  }
  return {};
}

CheckedParams check_params(const NodeSpec& node, const Schema& schema, Complaints* say) {
  CheckedParams result;
  const std::vector<Param> own = engine_params(schema.kind());
  for (const auto& [key, value] : node.params) {
    if (schema.find(key.text) == nullptr && find_param(own, key.text) == nullptr) {
      complain_unknown(node, schema, own, key, say);
    }
  }
  std::vector<Param> sorted = schema.params();
  std::sort(sorted.begin(), sorted.end(),
            [](const Param& a, const Param& b) { return a.name < b.name; });
  for (const Param& param : sorted) {
    take_param(node, schema, param, &result.params, &result.canonical, say);
  }
  result.canonical += "|";
  for (const Param& param : own) {
    take_param(node, schema, param, &result.engine, &result.canonical, say);
  }
  return result;
}

}  // namespace penstock
