// First pass: what each node is, on its own.
#include <algorithm>
#include <cctype>
#include <map>

#include "penstock/random.h"
#include "plan/draft.h"
#include "plan/limits.h"
#include "plan/parameters.h"

namespace penstock {
namespace {

void check_id(const NodeSpec& node, std::map<std::string, const NodeSpec*>* seen, Complaints* say) {
  const bool good = !node.id.empty() && std::all_of(node.id.begin(), node.id.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
  });
  if (!good) {
    say->error("bad-id", "'" + node.id + "' is no id", place_of(node),
               "an id has letters, digits, '_' and '-'");
    return;
  }
  if (node.id == "consumer") {
    say->error("bad-id", "a node cannot be named 'consumer'", place_of(node),
               "that is the training loop");
    return;
  }
  const auto [first, added] = seen->try_emplace(node.id, &node);
  if (added) return;
  const std::string where = first->second->at.text();
  say->error("duplicate-id", "there are two nodes '" + node.id + "'", place_of(node),
             where.empty() ? "" : "the first one is at " + where);
}

void check_concurrency(const NodeSpec& spec, PlanNode* node, bool serial_run, Complaints* say) {
  const int64_t slots = spec.concurrency.value_or(1);
  const Place place = {spec.concurrency_at, spec.concurrency_line};
  const std::string name = "nodes." + spec.id + ".concurrency";
  if (slots < 1) {
    say->error("bad-concurrency", name + " must be at least 1, not " + std::to_string(slots), place,
               "the number of CPU threads is `threads`; for a run without threads write "
               "`workers: 0` at the top of the file");
    return;
  }
  if (slots > kMaxConcurrency) {
    say->error("bad-concurrency",
               name + " must be at most " + std::to_string(kMaxConcurrency) + ", not " +
                   std::to_string(slots),
               place);
    return;
  }
  if (slots > 1 && (node->state == State::kSerial || node->kind == Kind::kTake)) {
    say->error("serial-operator",
               name + " must be 1, not " + std::to_string(slots) + ": " + spec.op +
                   " keeps a state from sample to sample",
               place);
    return;
  }
  node->concurrency = serial_run ? 1 : static_cast<int>(slots);
}

void check_policy(const NodeSpec& spec, PlanNode* node, Complaints* say) {
  const ErrorPolicySpec& written = spec.on_error;
  node->policy = {written.skip, written.max_count, written.max_fraction};
  if (is_read(written.at)) return;
  const Place place = {written.at, ""};
  const std::string name = "nodes." + spec.id + ".on_error";
  if (!written.skip && (written.max_count || written.max_fraction)) {
    say->error("bad-policy", name + " has a limit, but does not skip", place,
               "write `policy: skip`, or remove the limit");
  }
  if (written.max_fraction && !(*written.max_fraction >= 0 && *written.max_fraction <= 1)) {
    say->error("bad-policy", name + ".max_fraction must be between 0 and 1", place);
  }
}

void take_schema(const Registry::Entry& entry, PlanNode* node) {
  const Schema& schema = entry.def.schema;
  node->kind = schema.kind();
  node->where = schema.where();
  node->state = schema.state();
  node->random = schema.is_random();
  node->order_sensitive = schema.is_order_sensitive();
  node->may_drop = schema.may_drop();
  for (const auto& [name, doc] : schema.tallies()) node->tallies.push_back(name);
  node->make = entry.def.make;
}

void take_engine_params(const Params& params, PlanNode* node) {
  if (params.has("shuffle")) node->shuffle = params.boolean("shuffle");
  if (params.has("cycle")) node->cycle = static_cast<int>(params.integer("cycle"));
  if (params.has("chunk")) node->chunk = static_cast<int>(params.integer("chunk"));
}

/// What to do about an operator that is not there.
std::string help_with(const std::string& op, const Registry& registry) {
  const std::string help = suggestion(op, registry.names(), "the operators are");
  if (help.starts_with("did you mean")) return help;
  return help + (help.empty() ? "" : "; ") +
         "others come with --plugin FILE, plugins: in the pipeline or PENSTOCK_PLUGIN_PATH";
}

void resolve_node(Draft* draft, int index) {
  const NodeSpec& spec = draft->written(index);
  PlanNode& node = draft->node(index);
  const int before = draft->say.errors();
  node.id = spec.id;
  node.op = spec.op;
  node.at = spec.at;
  node.order = spec.order;
  node.stream = hash_text(spec.stream.empty() ? spec.id : spec.stream);
  const Registry::Entry* entry = draft->registry.find(spec.op);
  if (entry == nullptr) {
    draft->say.error("unknown-op", "there is no operator '" + spec.op + "'", place_of_op(spec),
                     help_with(spec.op, draft->registry));
  } else {
    draft->schemas[static_cast<size_t>(index)] = &entry->def.schema;
    take_schema(*entry, &node);
    CheckedParams checked = check_params(spec, entry->def.schema, &draft->say);
    node.params = std::move(checked.params);
    take_engine_params(checked.engine, &node);
    draft->param_texts[static_cast<size_t>(index)] = std::move(checked.canonical);
  }
  check_concurrency(spec, &node, draft->spec.serial, &draft->say);
  check_policy(spec, &node, &draft->say);
  if (node.kind == Kind::kExpand && node.concurrency > node.cycle) {
    draft->say.warning("useless-slots",
                       "nodes." + spec.id + ".concurrency is " + std::to_string(node.concurrency) +
                           ", but only " + std::to_string(node.cycle) +
                           " inputs are open at a time",
                       {spec.concurrency_at, spec.concurrency_line}, "raise params.cycle");
  }
  if (draft->say.errors() > before) draft->fail(index);
}

}  // namespace

bool reorders(const PlanNode& node) {
  return node.order == Order::kAny && (node.kind == Kind::kMerge || node.concurrency > 1);
}

void resolve_nodes(Draft* draft) {
  if (draft->spec.nodes.empty()) {
    draft->say.error("no-nodes", "the pipeline has no nodes", {{draft->spec.file, 0, 0, 1}, ""},
                     "it needs at least a source: nodes: [{id: read, op: ...}]");
  }
  const size_t count = draft->spec.nodes.size();
  draft->nodes.resize(count);
  draft->schemas.resize(count);
  draft->failed.resize(count);
  draft->param_texts.resize(count);
  std::map<std::string, const NodeSpec*> seen;
  uint32_t sources = 0;
  for (int i = 0; i < draft->node_count(); ++i) {
    check_id(draft->written(i), &seen, &draft->say);
    resolve_node(draft, i);
    if (draft->node(i).kind == Kind::kSource) draft->node(i).source_index = sources++;
  }
}

}  // namespace penstock
