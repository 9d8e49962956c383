#include <xxhash.h>

#include <cstdio>

#include "plan/draft.h"
#include "plan/param_value.h"

namespace penstock {
namespace {

// Changes whenever the engine draws or orders differently for the same pipeline.
constexpr const char* kEngineRules = "penstock-plan-1";

std::string hash_hex(const std::string& text) {
  char digits[17];
  const auto hash = static_cast<unsigned long long>(XXH3_64bits(text.data(), text.size()));
  std::snprintf(digits, sizeof(digits), "%016llx", hash);
  return digits;
}

// Of one node with all that is in front of it: neither its id nor its place in the file counts.
std::string hash_node(const Draft& draft, int index, const std::vector<std::string>& hashes) {
  const PlanNode& node = draft.node(index);
  const NodeSpec& spec = draft.written(index);
  std::string text = node.op + "(" + draft.param_texts[static_cast<size_t>(index)] + ")";
  if (node.kind == Kind::kSource) text += " source " + std::to_string(node.source_index);
  if (node.random) text += " stream " + std::to_string(node.stream);
  if (node.order == Order::kAny) text += " any";
  if (node.policy.skip) {
    text += " skip " + (node.policy.max_count ? std::to_string(*node.policy.max_count) : "-");
    text += " " + (node.policy.max_fraction ? canonical_text(*node.policy.max_fraction) : "-");
  }
  for (size_t port = 0; port < node.in_edges.size(); ++port) {
    text += " <" + hashes[static_cast<size_t>(draft.edge(node.in_edges[port]).from)];
    // A zip's choice of fields and names; other nodes have none.
    if (node.kind == Kind::kZip) text += "." + spec.from[port].field + "=" + spec.from[port].name;
    text += ">";
  }
  return hash_hex(text);
}

}  // namespace

std::string fingerprint_of(const Draft& draft) {
  std::vector<std::string> hashes(draft.nodes.size());
  for (const int index : draft.order) {
    hashes[static_cast<size_t>(index)] = hash_node(draft, index, hashes);
  }
  const int last = draft.edge(draft.consumer_edge).from;
  return hash_hex(std::string(kEngineRules) + " seed " + std::to_string(draft.spec.seed) + " " +
                  hashes[static_cast<size_t>(last)]);
}

}  // namespace penstock
