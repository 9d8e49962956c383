#include "config/set.h"

#include <algorithm>
#include <optional>

#include "config/env.h"
#include "config/keys.h"
#include "config/mistakes.h"
#include "config/source.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

void place(Value* value, const Position& at) {
  value->at = at;
  value->source_line.clear();
  for (Value& item : value->items) place(&item, at);
  for (auto& [key, entry] : value->entries) {
    place(&key, at);
    place(&entry, at);
  }
}

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
    parts.push_back(path.substr(begin, dot - begin));
    begin = dot + 1;
  }
  parts.push_back(path.substr(begin));
  return parts;
}

std::string join(const std::vector<std::string>& parts, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ".") + parts[i];
  return text;
}

/// One assignment on its way down the tree.
class Assignment {
 public:
  Assignment(const std::string& path, Value value, std::vector<Diagnostic>* diagnostics)
      : parts_(split(path)), value_(std::move(value)), diagnostics_(diagnostics) {
    place_.at.file = "--set " + path;
    place_.kind = Value::Kind::kScalar;
  }

  void apply(Value* root) {
    const std::string& top = parts_[0];
    if (!known(top_keys(), 0, "the pipeline")) return;
    if (top == "include") {
      return fail("'include' cannot be set: the files are read before", "");
    }
    if (top == "nodes" && parts_.size() > 1) return apply_to_node(root);
    if (top == "consumer" && parts_.size() > 1) {
      if (Value* consumer = child(root, top)) apply_to_map(consumer, 1, consumer_keys());
      return;
    }
    put(root, 0);
  }

 private:
  void fail(const std::string& message, const std::string& help) {
    diagnostics_->push_back(mistake("unknown-path", message, place_, help));
  }

  bool known(const Words& keys, size_t index, const std::string& what) {
    const std::string& key = parts_[index];
    if (std::find(keys.begin(), keys.end(), key) != keys.end()) return true;
    std::string help = help_for_key(key, keys);
    if (&keys == &node_keys() && nearest(key, keys).empty()) {
      help = "a parameter is set with " + join(parts_, index) + ".params." + key + "=...";
    } else if (&keys == &top_keys() && nearest(key, keys).empty()) {
      help = "the paths begin with " + join_words(keys);
    }
    fail(what + " has no key '" + key + "'", help);
    return false;
  }

  void apply_to_node(Value* root) {
    auto nodes = std::find_if(root->entries.begin(), root->entries.end(),
                              [](const auto& entry) { return entry.first.text == "nodes"; });
    if (nodes == root->entries.end()) return fail("the pipeline has no nodes", "");
    Words ids;
    for (Value& node : nodes->second.items) {
      const Value* id = node.find("id");
      if (id == nullptr) continue;
      if (id->text == parts_[1]) return apply_to(&node);
      ids.push_back(id->text);
    }
    const std::string close = nearest(parts_[1], ids);
    fail("there is no node '" + parts_[1] + "'", close.empty()
                                                     ? "the nodes are " + join_words(ids, "and")
                                                     : "did you mean '" + close + "'?");
  }

  void apply_to(Value* node) {
    if (parts_.size() == 2) {
      return fail("a whole node cannot be set",
                  "name one of its keys: " + join(parts_, 2) + ".concurrency=...");
    }
    if (parts_[2] != "params" || parts_.size() == 3) return apply_to_map(node, 2, node_keys());
    Value* params = child(node, "params");
    if (params != nullptr) put(params, 3);
  }

  void apply_to_map(Value* map, size_t index, const Words& keys) {
    if (!known(keys, index, "'" + join(parts_, index) + "'")) return;
    const std::string& key = parts_[index];
    const bool last = index + 1 == parts_.size();
    const bool is_queue = key == "queue";
    const bool is_policy = key == "on_error";
    if (last || (!is_queue && !is_policy)) return put(map, index);
    if (Value* inner = child(map, key)) {
      apply_to_map(inner, index + 1, is_queue ? queue_keys() : on_error_keys());
    }
  }

  /// The last step: the key at `index` must end the path.
  void put(Value* map, size_t index) {
    if (index + 1 != parts_.size()) {
      return fail("'" + join(parts_, index + 1) + "' has nothing below it",
                  "set the whole value: " + join(parts_, index + 1) + "=...");
    }
    for (auto& [key, entry] : map->entries) {
      if (key.text != parts_[index]) continue;
      key.at = place_.at;
      key.source_line.clear();
      entry = value_;
      return;
    }
    map->entries.emplace_back(named(parts_[index]), value_);
  }

  Value named(const std::string& text) const {
    Value key = Value::scalar(text);
    key.at = place_.at;
    return key;
  }

  /// The mapping below `key`, made if it is not there; null if something else stands there, which
  /// is reported when the tree is read.
  Value* child(Value* map, const std::string& key) {
    Value made = place_;
    made.kind = Value::Kind::kMap;
    for (auto& [name, entry] : map->entries) {
      if (name.text != key) continue;
      if (entry.kind == Value::Kind::kMap) return &entry;
      if (entry.kind == Value::Kind::kScalar && key == "on_error") {
        made.entries.emplace_back(named("policy"), entry);
      } else if (entry.kind != Value::Kind::kNull) {
        return nullptr;
      }
      entry = std::move(made);
      return &entry;
    }
    map->entries.emplace_back(named(key), std::move(made));
    return &map->entries.back().second;
  }

  std::vector<std::string> parts_;
  Value value_;
  Value place_;
  std::vector<Diagnostic>* diagnostics_;
};

std::optional<Value> parse_value(const std::string& path, const std::string& text,
                                 std::vector<Diagnostic>* diagnostics) {
  Position at;
  at.file = "--set " + path;
  if (text.find_first_not_of(" \t") == std::string::npos) {
    Value empty = Value::scalar("", true);
    empty.at = at;
    return empty;
  }
  auto value = parse_tree(Source(at.file, text), diagnostics);
  if (!value) return std::nullopt;
  place(&*value, at);
  substitute_env(&*value, diagnostics);
  return value;
}

}  // namespace

void apply_set(Value* root, const std::string& assignment, std::vector<Diagnostic>* diagnostics) {
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    Value at;
    at.at.file = "--set " + assignment;
    diagnostics->push_back(mistake("set-syntax", "a path, '=' and a value are due", at,
                                   "for example --set nodes.decode.concurrency=4"));
    return;
  }
  const std::string path = assignment.substr(0, equals);
  auto value = parse_value(path, assignment.substr(equals + 1), diagnostics);
  if (value) Assignment(path, std::move(*value), diagnostics).apply(root);
}

}  // namespace penstock::config
