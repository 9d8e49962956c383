#include "config/document.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "config/env.h"
#include "config/keys.h"
#include "config/mistakes.h"
#include "config/reader.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

namespace fs = std::filesystem;

/// Files in one pipeline, the including one too.
constexpr size_t kMaxFiles = 64;

using Entry = std::pair<Value, Value>;

std::vector<Entry>::iterator find_entry(Value* map, const std::string& key) {
  return std::find_if(map->entries.begin(), map->entries.end(),
                      [&](const Entry& entry) { return entry.first.text == key; });
}

class Loader {
 public:
  explicit Loader(std::vector<Diagnostic>* diagnostics)
      : reader_(diagnostics), diagnostics_(diagnostics) {}

  /// One file with what it includes; `identity` is its canonical path, empty for a text.
  std::optional<Value> load(const Source& source, const fs::path& identity,
                            const std::string& folder, bool included) {
    folders_[source.name()] = folder;
    auto root = parse_tree(source, diagnostics_);
    if (!root || !is_pipeline(*root, included)) return std::nullopt;
    for (auto& [key, value] : root->entries) {
      if (!is_free_key(key.text)) substitute_env(&value, diagnostics_);
    }
    if (!identity.empty()) open_.push_back(identity);
    include_all(&*root, source.name(), folder);
    if (!identity.empty()) open_.pop_back();
    return root;
  }

  std::map<std::string, std::string> take_folders() { return std::move(folders_); }

 private:
  bool is_pipeline(const Value& root, bool included) const {
    if (!reader_.is_map(root, "a pipeline")) return false;
    const Value* version = root.find("penstock");
    if (version == nullptr) {
      if (included || has_synonym(root, "penstock", top_keys())) return true;
      reader_.error("missing-key", "the format version is missing", root,
                    "begin the file with: penstock: 1");
      return true;
    }
    if (version->kind == Value::Kind::kScalar && version->text == "1") return true;
    reader_.error("format-version",
                  "format version " + describe(*version) + " is not supported: this is version 1",
                  *version, "write: penstock: 1");
    return false;
  }

  /// Takes `include` out of the mapping and puts in what the files hold.
  void include_all(Value* root, const std::string& name, const std::string& folder) {
    const auto found = find_entry(root, "include");
    if (found == root->entries.end()) return;
    const auto [key, list] = std::move(*found);
    root->entries.erase(found);
    Value nodes = Value::list({});
    Value others;
    for (const Value& entry : reader_.texts(list, "include")) {
      auto part = include_one(entry, name, folder);
      if (part) absorb(&*part, &nodes, &others);
    }
    for (Entry& entry : others.entries) {
      if (root->find(entry.first.text) == nullptr) root->entries.push_back(std::move(entry));
    }
    prepend(root, key, std::move(nodes));
  }

  std::optional<Value> include_one(const Value& entry, const std::string& name,
                                   const std::string& folder) {
    const fs::path path = (fs::path(folder) / entry.text).lexically_normal();
    const fs::path shown = (fs::path(name).parent_path() / entry.text).lexically_normal();
    std::error_code failed;
    const fs::path identity = fs::weakly_canonical(path, failed);
    if (std::find(open_.begin(), open_.end(), identity) != open_.end()) {
      return refuse(entry, "include-cycle", "'" + entry.text + "' includes itself",
                    "remove the include that leads back");
    }
    if (const auto [first, is_new] = seen_.try_emplace(identity, entry.at.text()); !is_new) {
      return refuse(entry, "include-twice",
                    "'" + entry.text + "' is already included at " + first->second,
                    "its nodes would occur twice: remove one of the two");
    }
    if (seen_.size() >= kMaxFiles) {
      return refuse(entry, "too-many-files", "more than " + std::to_string(kMaxFiles) + " files",
                    "");
    }
    std::string reason;
    std::optional<std::string> text;
    if (fs::exists(path, failed) && !fs::is_regular_file(path, failed) &&
        !fs::is_directory(path, failed)) {
      reason = "it is not a regular file";  // a pipe may never end
    } else {
      text = read_file(path.string(), &reason);
    }
    if (!text) {
      return refuse(entry, "cannot-read", "cannot read '" + path.string() + "': " + reason,
                    "paths are relative to the file that they stand in");
    }
    const Source source(shown.string(), std::move(*text));
    return load(source, identity, path.parent_path().string(), true);
  }

  std::nullopt_t refuse(const Value& entry, const std::string& code, const std::string& message,
                        const std::string& help) const {
    reader_.error(code, message, entry, help);
    return std::nullopt;
  }

  /// Moves an included file's nodes to the end of `nodes`, and its other keys over those of files
  /// included earlier.
  void absorb(Value* part, Value* nodes, Value* others) const {
    for (Entry& entry : part->entries) {
      if (entry.first.text == "penstock") continue;
      if (entry.first.text != "nodes") {
        const auto found = find_entry(others, entry.first.text);
        if (found != others->entries.end()) others->entries.erase(found);
        others->entries.push_back(std::move(entry));
      } else if (entry.second.kind == Value::Kind::kList) {
        std::move(entry.second.items.begin(), entry.second.items.end(),
                  std::back_inserter(nodes->items));
      } else {
        reader_.wrong("wrong-type", "nodes", "a list", entry.second);
      }
    }
  }

  static void prepend(Value* root, const Value& include_key, Value nodes) {
    if (nodes.items.empty()) return;
    const auto own = find_entry(root, "nodes");
    if (own == root->entries.end()) {
      Value key = include_key;
      key.text = "nodes";
      nodes.at = key.at;
      nodes.source_line = key.source_line;
      root->entries.emplace_back(std::move(key), std::move(nodes));
    } else if (own->second.kind == Value::Kind::kList) {
      auto& items = own->second.items;
      std::move(items.begin(), items.end(), std::back_inserter(nodes.items));
      items = std::move(nodes.items);
    }
  }

  Reader reader_;
  std::vector<Diagnostic>* diagnostics_;
  std::map<std::string, std::string> folders_;
  std::vector<fs::path> open_;            ///< files being read, the outermost first
  std::map<fs::path, std::string> seen_;  ///< included files and the places that name them
};

}  // namespace

std::optional<Document> read_document(const Source& source, const std::string& path,
                                      const std::string& folder,
                                      std::vector<Diagnostic>* diagnostics) {
  std::error_code failed;
  const fs::path identity = path.empty() ? fs::path() : fs::weakly_canonical(path, failed);
  Loader loader(diagnostics);
  auto root = loader.load(source, identity, folder, false);
  if (!root) return std::nullopt;
  return Document{std::move(*root), loader.take_folders()};
}

}  // namespace penstock::config
