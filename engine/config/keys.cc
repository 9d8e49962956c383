#include "config/keys.h"

#include <algorithm>
#include <utility>

#include "config/mistakes.h"

namespace penstock::config {
namespace {

using Synonyms = std::vector<std::pair<std::string, std::string>>;

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What other formats call a key.
std::string synonym(const std::string& key, const Words& keys) {
  static const Synonyms kTop = {{"version", "penstock"}, {"stages", "nodes"},
                                {"steps", "nodes"},      {"operators", "nodes"},
                                {"sink", "consumer"},    {"random_seed", "seed"}};
  static const Synonyms kNode = {{"name", "id"},
                                 {"type", "op"},
                                 {"operator", "op"},
                                 {"input", "from"},
                                 {"inputs", "from"},
                                 {"num_workers", "concurrency"},
                                 {"parallel", "concurrency"},
                                 {"capacity", "queue"},
                                 {"args", "params"},
                                 {"parameters", "params"}};
  static const Synonyms kNone;
  const Synonyms& table = &keys == &top_keys() ? kTop : &keys == &node_keys() ? kNode : kNone;
  for (const auto& [word, meant] : table) {
    if (word == key) return meant;
  }
  return "";
}

}  // namespace

const Words& top_keys() {
  static const Words kKeys = {"penstock", "name",   "seed",     "threads", "workers",
                              "memory",   "epochs", "batches",  "include", "plugins",
                              "ranks",    "nodes",  "consumer", "fuse"};
  return kKeys;
}

const Words& node_keys() {
  static const Words kKeys = {"id",    "op",    "from",     "params", "concurrency",
                              "order", "queue", "on_error", "stream"};
  return kKeys;
}

const Words& consumer_keys() {
  static const Words kKeys = {"from", "queue", "spin", "sleep", "train"};
  return kKeys;
}

const Words& queue_keys() {
  static const Words kKeys = {"items", "bytes"};
  return kKeys;
}

const Words& on_error_keys() {
  static const Words kKeys = {"policy", "max_count", "max_fraction"};
  return kKeys;
}

bool has_synonym(const Value& map, const std::string& meant, const Words& keys) {
  return std::any_of(map.entries.begin(), map.entries.end(),
                     [&](const auto& entry) { return synonym(entry.first.text, keys) == meant; });
}

std::string help_for_key(const std::string& key, const Words& keys) {
  const std::string other = synonym(key, keys);
  if (!other.empty()) return "it is called '" + other + "' here";
  const std::string close = nearest(key, keys);
  if (!close.empty()) return "did you mean '" + close + "'?";
  const bool top = &keys == &top_keys();
  if (!top && &keys != &node_keys()) return "the keys here are " + join_words(keys, "and");
  if (!top && contains(top_keys(), key)) return "'" + key + "' belongs to the top level";
  if (top && contains(node_keys(), key)) return "'" + key + "' belongs to a node";
  if (!top) return "an operator's parameter belongs under params: params: {" + key + ": ...}";
  return "an operator's parameter belongs under params of its node; keys of your own begin with x-";
}

}  // namespace penstock::config
