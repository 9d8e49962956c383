#pragma once
/// Reading of one node, and of the keys that nodes and the consumer share.

#include <optional>
#include <string>

#include "config/reader.h"
#include "plan/graph_spec.h"

namespace penstock::config {

struct ReadNode {
  NodeSpec spec;
  bool readable = true;  ///< id, op and from could be read
};

/// `index` is its place in the list: it is called nodes[index] until its id is known. Keys that no
/// node has are reported, and handed on as parameters so that the plan can look at them too.
ReadNode read_node(const Reader& reader, const Value& value, size_t index);

/// `queue: {items, bytes}`; `key` gives its place.
QueueSpec read_queue(const Reader& reader, const Value& key, const Value& value,
                     const std::string& path);

}  // namespace penstock::config
