#pragma once
/// What a user wrote, still untyped where only the plan can know the type. The config room makes it
/// from YAML; tests may make it by hand.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "penstock/diagnostic.h"

namespace penstock {

/// A value as written, with its place. Scalars keep their text; `quoted` tells "12" from 12.
struct Value {
  enum class Kind { kNull, kScalar, kList, kMap } kind = Kind::kNull;
  std::string text;
  bool quoted = false;
  std::vector<Value> items;                      ///< of a list
  std::vector<std::pair<Value, Value>> entries;  ///< of a map, in order; keys are scalars
  Position at;
  std::string source_line;  ///< the file's line at `at`, for messages

  Value() = default;

  static Value scalar(std::string text, bool quoted = false) {
    Value value;
    value.kind = Kind::kScalar;
    value.text = std::move(text);
    value.quoted = quoted;
    return value;
  }
  static Value list(std::vector<Value> items) {
    Value value;
    value.kind = Kind::kList;
    value.items = std::move(items);
    return value;
  }
  const Value* find(const std::string& key) const {
    for (const auto& [name, value] : entries) {
      if (name.text == key) return &value;
    }
    return nullptr;
  }
};

/// One in-edge of a node as written: `from: a`, `from: [a.image, b]`, `from: {left: a}`.
struct FromSpec {
  std::string node;
  std::string field;  ///< of "a.image": only that field travels; empty: all
  std::string name;   ///< of a mapping: fields become name.*; empty: names stay
  Position at;
  std::string source_line;
};

struct QueueSpec {
  std::optional<uint64_t> items;
  std::optional<uint64_t> bytes;
  Position at;  ///< of the key `queue`; line 0: not given
  std::string source_line;
};

enum class Order : uint8_t { kPreserve, kAny };

struct ErrorPolicySpec {
  bool skip = false;
  std::optional<uint64_t> max_count;   ///< of an epoch
  std::optional<double> max_fraction;  ///< of an epoch
  Position at;
};

struct NodeSpec {
  std::string id;
  std::string op;
  std::vector<FromSpec> from;  ///< empty and !from_given: the node above
  bool from_given = false;
  std::vector<std::pair<Value, Value>> params;  ///< key, value
  std::optional<int64_t> concurrency;
  Order order = Order::kPreserve;
  QueueSpec queue;
  ErrorPolicySpec on_error;
  std::string stream;  ///< empty: the id
  Position at;         ///< of the id
  Position op_at, concurrency_at;
  std::string source_line, op_line, concurrency_line;
  std::string base_dir;  ///< paths in params are relative to it
};

/// The folder that a relative path in `value`, a parameter of `node`, starts from: the node's, or
/// the current one when the value was given by --set.
inline std::string base_dir_of(const NodeSpec& node, const Value& value) {
  return value.at.file.starts_with("--set ") ? std::filesystem::current_path().string()
                                             : node.base_dir;
}

struct ConsumerSpec {
  std::string from;  ///< empty: the last node
  QueueSpec queue;
  int64_t spin_ns = 0, sleep_ns = 0;
  Position at;  ///< of `from` where given, else of the key `consumer`
  std::string source_line;
};

struct PluginSpec {
  std::string path;  ///< absolute
  Position at;
  std::string source_line;
};

struct GraphSpec {
  std::string name = "pipeline";
  std::string file;  ///< for `where` in reports
  uint64_t seed = 0;
  std::optional<int64_t> threads;  ///< nothing: auto
  bool serial = false;             ///< workers: 0
  std::optional<uint64_t> memory_bytes;
  std::optional<uint64_t> epochs, batches;
  bool fuse = true;
  std::vector<PluginSpec> plugins;
  std::vector<NodeSpec> nodes;
  ConsumerSpec consumer;
};

}  // namespace penstock
