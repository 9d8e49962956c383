// Writes a GraphSpec as YAML that loads again to the same one.

#include <array>
#include <charconv>
#include <filesystem>
#include <sstream>

#include "config/env.h"
#include "config/load.h"
#include "plan/units.h"

namespace penstock {
namespace {

std::string hex_escape(unsigned char c) {
  constexpr char kDigits[] = "0123456789abcdef";
  return std::string("\\x") + kDigits[c >> 4] + kDigits[c & 15];
}

std::string in_quotes(const std::string& text) {
  std::string result = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (text.compare(i, 2, "${") == 0) result += '$';
    if (c == '"' || c == '\\') {
      result += std::string("\\") + text[i];
    } else if (c == '\n') {
      result += "\\n";
    } else if (c < 0x20 || c == 0x7F) {
      result += hex_escape(c);
    } else {
      result += text[i];
    }
  }
  return result + "\"";
}

std::string word(const std::string& text, bool quoted = false) {
  return quoted || !config::is_plain_safe(text) ? in_quotes(text) : text;
}

/// A whole number may look like text where text is due: "007".
std::string label(const std::string& text) {
  return word(text, parse_float(text).has_value() || text == "true" || text == "false");
}

class Writer {
 public:
  explicit Writer(const IsPath& is_path) : is_path_(is_path) {}

  std::string write(const GraphSpec& spec) {
    serial_ = spec.serial;
    write_head(spec);
    out_ << "nodes:\n";
    for (const NodeSpec& node : spec.nodes) write_node(node);
    write_consumer(spec.consumer);
    return out_.str();
  }

 private:
  void write_head(const GraphSpec& spec) {
    out_ << "penstock: 1\n"
         << "name: " << label(spec.name) << "\n"
         << "seed: " << spec.seed << "\n";
    if (spec.epochs) out_ << "epochs: " << *spec.epochs << "\n";
    if (spec.batches) out_ << "batches: " << *spec.batches << "\n";
    out_ << "threads: " << (spec.threads ? std::to_string(*spec.threads) : "auto") << "\n";
    if (spec.serial) out_ << "workers: 0\n";
    if (spec.memory_bytes) out_ << "memory: " << bytes(*spec.memory_bytes) << "\n";
    if (!spec.fuse) out_ << "fuse: false\n";
    std::vector<std::string> plugins;
    for (const PluginSpec& plugin : spec.plugins) plugins.push_back(plugin.path);
    if (!plugins.empty()) out_ << "plugins: " << list(plugins) << "\n";
  }

  void write_node(const NodeSpec& node) {
    out_ << "  - id: " << word(node.id) << "\n    op: " << label(node.op) << "\n";
    if (node.from_given) out_ << "    from: " << from(node.from) << "\n";
    if (!node.params.empty()) out_ << "    params:\n";
    for (const auto& [key, value] : node.params) {
      out_ << "      " << word(key.text, key.quoted) << ": " << param(node, key.text, value)
           << "\n";
    }
    if (node.concurrency) out_ << "    concurrency: " << *node.concurrency << "\n";
    if (node.order == Order::kAny) out_ << "    order: any\n";
    if (has_queue(node.queue)) out_ << "    queue: " << queue(node.queue) << "\n";
    if (node.on_error.skip) out_ << "    on_error: " << policy(node.on_error) << "\n";
    if (!node.stream.empty()) out_ << "    stream: " << label(node.stream) << "\n";
  }

  void write_consumer(const ConsumerSpec& consumer) {
    std::string text;
    const auto add = [&text](const std::string& key, const std::string& value) {
      text += (text.empty() ? "" : ", ") + key + ": " + value;
    };
    if (!consumer.from.empty()) add("from", word(consumer.from));
    if (has_queue(consumer.queue)) add("queue", queue(consumer.queue));
    if (consumer.spin_ns > 0) add("spin", format_duration_ns(consumer.spin_ns));
    if (consumer.sleep_ns > 0) add("sleep", format_duration_ns(consumer.sleep_ns));
    if (!text.empty()) out_ << "consumer: {" << text << "}\n";
  }

  /// `workers: 0` has none; what it ignored would be an error when read again.
  bool has_queue(const QueueSpec& queue) const { return !serial_ && (queue.items || queue.bytes); }

  static std::string bytes(uint64_t count) { return format_bytes(static_cast<int64_t>(count)); }

  static std::string list(const std::vector<std::string>& texts) {
    std::string result;
    for (const std::string& text : texts) result += (result.empty() ? "" : ", ") + label(text);
    return "[" + result + "]";
  }

  static std::string queue(const QueueSpec& queue) {
    std::string result = queue.items ? "items: " + std::to_string(*queue.items) : "";
    if (queue.bytes) result += (result.empty() ? "bytes: " : ", bytes: ") + bytes(*queue.bytes);
    return "{" + result + "}";
  }

  static std::string policy(const ErrorPolicySpec& policy) {
    std::string result = "{policy: skip";
    if (policy.max_count) result += ", max_count: " + std::to_string(*policy.max_count);
    if (policy.max_fraction) result += ", max_fraction: " + shortest(*policy.max_fraction);
    return result + "}";
  }

  static std::string shortest(double number) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
  }

  static std::string from(const std::vector<FromSpec>& edges) {
    std::string result;
    const bool named = !edges.empty() && !edges[0].name.empty();
    for (const FromSpec& edge : edges) {
      if (!result.empty()) result += ", ";
      if (!edge.name.empty()) result += word(edge.name) + ": ";
      result += word(edge.node + (edge.field.empty() ? "" : "." + edge.field));
    }
    return named ? "{" + result + "}" : edges.size() == 1 ? result : "[" + result + "]";
  }

  std::string param(const NodeSpec& node, const std::string& key, const Value& value) const {
    const bool is_path = value.kind == Value::Kind::kScalar && is_path_ && is_path_(node.op, key);
    if (!is_path) return any(value);
    const std::filesystem::path base = base_dir_of(node, value);
    return label((base / value.text).lexically_normal().string());
  }

  static std::string any(const Value& value) {
    std::string result;
    switch (value.kind) {
      case Value::Kind::kNull:
        return value.text.empty() ? "null" : value.text;
      case Value::Kind::kScalar:
        return word(value.text, value.quoted);
      case Value::Kind::kList:
        for (const Value& item : value.items) result += (result.empty() ? "" : ", ") + any(item);
        return "[" + result + "]";
      case Value::Kind::kMap:
        for (const auto& [key, entry] : value.entries) {
          result += (result.empty() ? "" : ", ") + word(key.text, true) + ": " + any(entry);
        }
        return "{" + result + "}";
    }
    return result;
  }

  const IsPath& is_path_;
  bool serial_ = false;
  std::ostringstream out_;
};

}  // namespace

std::string resolved_yaml(const GraphSpec& spec, const IsPath& is_path) {
  return Writer(is_path).write(spec);
}

}  // namespace penstock
