#pragma once
/// YAML text -> Value tree. Every value keeps its place and whether it was quoted; anchors, aliases
/// and merge keys are written out; keys that occur twice are errors.

#include <cstddef>
#include <optional>
#include <vector>

#include "config/source.h"
#include "plan/graph_spec.h"

namespace penstock::config {

/// Values in one file once its aliases are written out, keys included.
constexpr size_t kMaxNodes = 50'000;
/// Lists and mappings inside each other, aliases written out.
constexpr int kMaxDepth = 64;

/// Parses one document. Nothing comes back when the text is not YAML, is empty or passes a limit;
/// lesser mistakes (duplicate keys, tags) leave a tree. All are appended to `diagnostics`.
std::optional<Value> parse_tree(const Source& source, std::vector<Diagnostic>* diagnostics);

}  // namespace penstock::config
