#pragma once
/// The closed lists of keys.

#include <string>
#include <vector>

#include "plan/graph_spec.h"

namespace penstock::config {

using Words = std::vector<std::string>;

const Words& top_keys();
const Words& node_keys();
const Words& consumer_keys();
const Words& queue_keys();
const Words& on_error_keys();

/// True of keys that users may add at the top level for anchors and notes.
inline bool is_free_key(const std::string& key) { return key.starts_with("x-"); }

/// True if `map` has a key that other formats use for `meant`: it is reported as unknown, and that
/// `meant` is missing need not be said too.
bool has_synonym(const Value& map, const std::string& meant, const Words& keys);

/// What to say about a key that the level does not have: the key that was meant, or where it
/// belongs. `keys` is one of the lists above.
std::string help_for_key(const std::string& key, const Words& keys);

}  // namespace penstock::config
