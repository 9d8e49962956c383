#include "config/node.h"

#include <algorithm>

#include "config/mistakes.h"
#include "plan/limits.h"

namespace penstock::config {
namespace {

/// Fills in one node key by key.
class NodeReader {
 public:
  NodeReader(const Reader& reader, const Value& value, size_t index)
      : reader_(reader), value_(value), path_("nodes[" + std::to_string(index) + "]") {}

  ReadNode read() {
    result_.spec.at = value_.at;
    result_.spec.source_line = value_.source_line;
    if (!reader_.is_map(value_, path_)) {
      result_.readable = false;
      return std::move(result_);
    }
    read_id();
    read_op();
    reader_.check_keys(value_, node_keys(),
                       result_.spec.id.empty() ? path_ : "node '" + result_.spec.id + "'");
    for (const auto& [key, value] : value_.entries) read_key(key, value);
    return std::move(result_);
  }

 private:
  void missing(const std::string& key, const std::string& help) {
    result_.readable = false;
    if (has_synonym(value_, key, node_keys())) return;
    reader_.error("missing-key", path_ + " has no '" + key + "'", value_, help);
  }

  void read_id() {
    const Value* id = value_.find("id");
    if (id == nullptr) return missing("id", "every node has an id of its own: id: decode");
    result_.spec.at = id->at;
    result_.spec.source_line = id->source_line;
    const bool is_text = id->kind == Value::Kind::kScalar;
    if (is_text && is_identifier(id->text)) {
      result_.spec.id = id->text;
      path_ = "nodes." + id->text;
      return;
    }
    result_.readable = false;
    reader_.wrong(is_text ? "bad-value" : "wrong-type", path_ + ".id", "a name", *id,
                  "a name begins with a letter or '_' and goes on with letters, digits, '_', '-'");
  }

  void read_op() {
    const Value* op = value_.find("op");
    if (op == nullptr) return missing("op", "name its operator: op: decode_image");
    result_.spec.op_at = op->at;
    result_.spec.op_line = op->source_line;
    const auto text = reader_.text(*op, path_ + ".op");
    result_.spec.op = text.value_or("");
    if (!text) result_.readable = false;
  }

  void read_key(const Value& key, const Value& value) {
    NodeSpec& spec = result_.spec;
    const std::string path = path_ + "." + key.text;
    if (key.text == "from") {
      read_from(value, path);
    } else if (key.text == "params") {
      if (value.kind == Value::Kind::kNull || !reader_.is_map(value, path)) return;
      spec.params.insert(spec.params.end(), value.entries.begin(), value.entries.end());
    } else if (key.text == "concurrency") {
      const auto count = reader_.whole(value, path, 1, kMaxConcurrency);
      if (count) spec.concurrency = static_cast<int64_t>(*count);
      spec.concurrency_at = value.at;
      spec.concurrency_line = value.source_line;
    } else if (key.text == "order") {
      const auto choice = reader_.choice(value, path, {"preserve", "any"});
      spec.order = choice == 1U ? Order::kAny : Order::kPreserve;
    } else if (key.text == "queue") {
      spec.queue = read_queue(reader_, key, value, path);
    } else if (key.text == "on_error") {
      read_policy(key, value, path);
    } else if (key.text == "stream") {
      spec.stream = reader_.text(value, path).value_or("");
    } else if (key.text != "id" && key.text != "op") {
      spec.params.emplace_back(key, value);
    }
  }

  void read_from(const Value& value, const std::string& path) {
    result_.spec.from_given = true;
    if (value.kind == Value::Kind::kScalar) return add_edge(value, "", path);
    const bool is_list = value.kind == Value::Kind::kList;
    if (!is_list && value.kind != Value::Kind::kMap) {
      result_.readable = false;
      return reader_.wrong("wrong-type", path, "an id, a list of ids or a mapping of names to ids",
                           value, "leave it out to take the node above");
    }
    if (value.items.empty() && value.entries.empty()) {
      result_.readable = false;
      reader_.error("bad-value", path + " is empty", value, "leave it out to take the node above");
    }
    for (size_t i = 0; i < value.items.size(); ++i) {
      add_edge(value.items[i], "", path + "[" + std::to_string(i) + "]");
    }
    for (const auto& [name, entry] : value.entries) {
      if (!is_identifier(name.text)) {
        reader_.error("bad-value", "'" + name.text + "' is no name for a group of fields", name,
                      "letters, digits, '_' and '-', a letter or '_' first");
      }
      add_edge(entry, name.text, path + "." + name.text);
    }
  }

  void add_edge(const Value& value, const std::string& name, const std::string& path) {
    FromSpec from;
    from.name = name;
    from.at = value.at;
    from.source_line = value.source_line;
    if (value.kind == Value::Kind::kScalar) {
      const size_t dot = value.text.find('.');
      from.node = value.text.substr(0, dot);
      if (dot != std::string::npos) from.field = value.text.substr(dot + 1);
      if (is_identifier(from.node) && (dot == std::string::npos || !from.field.empty())) {
        result_.spec.from.push_back(std::move(from));
        return;
      }
    }
    result_.readable = false;
    reader_.wrong(value.kind == Value::Kind::kScalar ? "bad-value" : "wrong-type", path,
                  "a node's id, or id.field", value);
  }

  void read_policy(const Value& key, const Value& value, const std::string& path) {
    ErrorPolicySpec& policy = result_.spec.on_error;
    policy.at = key.at;
    if (value.kind == Value::Kind::kScalar) {
      policy.skip = reader_.choice(value, path, {"fail", "skip"}) == 1U;
      return;
    }
    if (!reader_.is_map(value, path)) return;
    reader_.check_keys(value, on_error_keys(), path);
    const Value* name = value.find("policy");
    if (name != nullptr) {
      policy.skip = reader_.choice(*name, path + ".policy", {"fail", "skip"}) == 1U;
    }
    const Value* count = value.find("max_count");
    if (count != nullptr) {
      policy.max_count = reader_.whole(*count, path + ".max_count", 0, UINT64_MAX);
    }
    const Value* part = value.find("max_fraction");
    if (part != nullptr) policy.max_fraction = reader_.fraction(*part, path + ".max_fraction");
    const bool fails = name == nullptr || name->text == "fail";
    if (fails && (count != nullptr || part != nullptr)) {
      reader_.error("bad-value", path + " limits skips, but does not skip",
                    count != nullptr ? *count : *part, "add policy: skip");
    }
  }

  const Reader& reader_;
  const Value& value_;
  std::string path_;
  ReadNode result_;
};

}  // namespace

QueueSpec read_queue(const Reader& reader, const Value& key, const Value& value,
                     const std::string& path) {
  QueueSpec queue;
  queue.at = key.at;
  queue.source_line = key.source_line;
  if (!reader.is_map(value, path, "write {items: 8}, {bytes: 64MiB} or both")) return queue;
  reader.check_keys(value, queue_keys(), path);
  if (const Value* items = value.find("items")) {
    queue.items = reader.whole(*items, path + ".items", 1, kMaxQueueItems);
  }
  if (const Value* bytes = value.find("bytes")) {
    queue.bytes = reader.bytes(*bytes, path + ".bytes");
  }
  return queue;
}

ReadNode read_node(const Reader& reader, const Value& value, size_t index) {
  return NodeReader(reader, value, index).read();
}

}  // namespace penstock::config
