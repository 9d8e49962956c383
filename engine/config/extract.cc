#include "config/extract.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include "config/mistakes.h"
#include "config/node.h"
#include "config/reader.h"
#include "plan/limits.h"

namespace penstock::config {
namespace {

class Extractor {
 public:
  Extractor(const Document& document, std::vector<Diagnostic>* diagnostics)
      : document_(document),
        root_(document.root),
        reader_(diagnostics),
        diagnostics_(diagnostics) {}

  Extracted run() {
    result_.spec.file = root_.at.file;
    reader_.check_keys(root_, top_keys(), "the pipeline");
    for (const auto& [key, value] : root_.entries) {
      if (!read_number(key.text, value) && !read_word(key.text, value)) read_rest(key, value);
    }
    if (root_.find("nodes") == nullptr) {
      reader_.error("missing-key", "the pipeline has no nodes", root_,
                    "list them: nodes: [{id: read, op: read_folder}, ...]");
      result_.readable = false;
    }
    check_serial();
    return std::move(result_);
  }

 private:
  bool read_number(const std::string& key, const Value& value) {
    GraphSpec& spec = result_.spec;
    if (key == "seed") {
      spec.seed = reader_.whole(value, key, 0, UINT64_MAX).value_or(0);
    } else if (key == "memory") {
      spec.memory_bytes = reader_.bytes(value, key);
    } else if (key == "epochs") {
      spec.epochs = reader_.whole(value, key, 1, UINT32_MAX);
    } else if (key == "batches") {
      spec.batches = reader_.whole(value, key, 1, UINT64_MAX);
    } else if (key == "threads") {
      read_threads(value);
    } else {
      return false;
    }
    return true;
  }

  bool read_word(const std::string& key, const Value& value) {
    GraphSpec& spec = result_.spec;
    if (key == "name") {
      spec.name = reader_.text(value, key).value_or(spec.name);
    } else if (key == "fuse") {
      spec.fuse = reader_.boolean(value, key).value_or(true);
    } else if (key == "plugins") {
      for (const Value& path : reader_.texts(value, key)) {
        spec.plugins.push_back({absolute(path), path.at, path.source_line});
      }
    } else if (key == "workers") {
      read_workers(value);
    } else {
      return false;
    }
    return true;
  }

  void read_rest(const Value& key, const Value& value) {
    if (key.text == "nodes") {
      read_nodes(value);
    } else if (key.text == "consumer") {
      read_consumer(key, value);
    } else if (key.text == "ranks") {
      reader_.error("not-supported", "'ranks' is not supported by this version", key,
                    "remove it; the rank comes from RANK and WORLD_SIZE");
    }
  }

  void read_threads(const Value& value) {
    if (value.kind == Value::Kind::kScalar && value.text == "auto") return;
    std::vector<Diagnostic> found;
    const auto count = Reader(&found).whole(value, "threads", 1, kMaxThreads);
    if (count) result_.spec.threads = static_cast<int64_t>(*count);
    if (found.empty()) return;
    const bool zero = value.text == "0" && !value.quoted;
    reader_.wrong(found[0].code, "threads",
                  "auto or a whole number from 1 to " + std::to_string(kMaxThreads), value,
                  zero ? "'workers: 0' runs everything in the caller's thread" : found[0].help);
  }

  void read_workers(const Value& value) {
    if (value.kind == Value::Kind::kScalar && value.text == "0" && !value.quoted) {
      result_.spec.serial = true;
      workers_ = &value;
      return;
    }
    reader_.wrong("bad-value", "workers", "0", value,
                  "it means: no threads at all; 'threads' sets the CPU threads, and a node's "
                  "'concurrency' how many of its firings run at once");
  }

  std::string folder_of(const Position& at) const {
    const auto found = document_.folders.find(at.file);
    if (found != document_.folders.end()) return found->second;
    std::error_code ignored;  // without a current folder the path stays relative
    return std::filesystem::current_path(ignored).string();
  }

  std::string absolute(const Value& path) const {
    return (std::filesystem::path(folder_of(path.at)) / path.text).lexically_normal().string();
  }

  void read_nodes(const Value& value) {
    const bool is_list = value.kind == Value::Kind::kList;
    if (!is_list || value.items.empty()) result_.readable = false;
    if (is_list && value.items.empty()) {
      return reader_.error("bad-value", "nodes is empty", value, "a pipeline needs a source");
    }
    if (!is_list) {
      return reader_.wrong("wrong-type", "nodes", "a list of nodes", value,
                           "each begins with '- id: ...'");
    }
    std::map<std::string, Position> places;
    for (size_t i = 0; i < value.items.size(); ++i) {
      ReadNode node = read_node(reader_, value.items[i], i);
      node.spec.base_dir = folder_of(value.items[i].at);
      result_.readable = result_.readable && node.readable;
      check_unique(node.spec, value.items[i], &places);
      result_.spec.nodes.push_back(std::move(node.spec));
    }
  }

  /// `item` is the node's entry in the list: an alias has its id where the anchor is.
  void check_unique(const NodeSpec& node, const Value& item,
                    std::map<std::string, Position>* places) {
    if (node.id.empty()) return;
    const auto [first, is_new] = places->try_emplace(node.id, node.at);
    if (is_new) return;
    Value at = item;
    if (node.at != first->second) {
      at.at = node.at;
      at.source_line = node.source_line;
    }
    reader_.error("duplicate-id",
                  "node id '" + node.id + "' is already used at " + first->second.text(), at,
                  "give each node an id of its own");
    result_.readable = false;
  }

  void read_consumer(const Value& key, const Value& value) {
    ConsumerSpec& consumer = result_.spec.consumer;
    consumer.at = key.at;
    consumer.source_line = key.source_line;
    if (!reader_.is_map(value, "consumer", "write {sleep: 8ms} or {spin: 8ms}")) return;
    reader_.check_keys(value, consumer_keys(), "'consumer'");
    const Value* spin = nullptr;
    const Value* sleep = nullptr;
    for (const auto& [name, entry] : value.entries) {
      if (name.text == "from") read_consumer_from(entry);
      if (name.text == "queue") {
        consumer.queue = read_queue(reader_, name, entry, "consumer.queue");
      }
      if (name.text == "spin") spin = &entry;
      if (name.text == "sleep") sleep = &entry;
      if (name.text == "train") {
        reader_.error("not-supported", "'consumer.train' is not supported by this version", name,
                      "let spin or sleep stand for the training step");
      }
    }
    if (spin != nullptr) consumer.spin_ns = reader_.duration(*spin, "consumer.spin").value_or(0);
    if (sleep != nullptr) {
      consumer.sleep_ns = reader_.duration(*sleep, "consumer.sleep").value_or(0);
    }
    if (spin != nullptr && sleep != nullptr) {
      reader_.error("bad-value", "the consumer takes either spin or sleep, not both", *sleep,
                    "remove one of the two");
    }
  }

  void read_consumer_from(const Value& value) {
    ConsumerSpec& consumer = result_.spec.consumer;
    if (value.kind != Value::Kind::kScalar || !is_identifier(value.text)) {
      result_.readable = false;
      const bool has_field = value.text.find('.') != std::string::npos;
      return reader_.wrong(value.kind == Value::Kind::kScalar ? "bad-value" : "wrong-type",
                           "consumer.from", "a node's id", value,
                           has_field ? "the consumer takes all fields: name the node only" : "");
    }
    consumer.from = value.text;
    consumer.at = value.at;
    consumer.source_line = value.source_line;
  }

  /// `workers: 0` in a file has no queues; given by --set it only notes what it ignores.
  void check_serial() {
    if (workers_ == nullptr) return;
    for (const NodeSpec& node : result_.spec.nodes) note_queue(node.queue, "nodes." + node.id);
    note_queue(result_.spec.consumer.queue, "consumer");
  }

  void note_queue(const QueueSpec& queue, const std::string& path) {
    if (!queue.items && !queue.bytes) return;
    Value at;
    at.at = queue.at;
    at.source_line = queue.source_line;
    Diagnostic diagnostic =
        mistake("queue-without-threads", path + ".queue has no effect with 'workers: 0'", at,
                "remove one of the two");
    if (workers_->at.file.starts_with("--set ")) {
      diagnostic.severity = Diagnostic::Severity::kWarning;
      diagnostic.help.clear();
    }
    diagnostics_->push_back(std::move(diagnostic));
  }

  const Document& document_;
  const Value& root_;
  Reader reader_;
  std::vector<Diagnostic>* diagnostics_;
  const Value* workers_ = nullptr;
  Extracted result_;
};

}  // namespace

Extracted extract(const Document& document, std::vector<Diagnostic>* diagnostics) {
  return Extractor(document, diagnostics).run();
}

}  // namespace penstock::config
