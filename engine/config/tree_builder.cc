#include "config/tree_builder.h"

#include <algorithm>

#include "config/mistakes.h"
#include "config/token.h"
#include "config/yaml_tree.h"

namespace penstock::config {
namespace {

constexpr std::string_view kStringTag = "tag:yaml.org,2002:str";

struct Measure {
  size_t nodes = 1;
  int height = 1;
};

Measure measure(const Value& value) {
  Measure all;
  const auto include = [&all](const Value& child) {
    const Measure part = measure(child);
    all.nodes += part.nodes;
    all.height = std::max(all.height, part.height + 1);
  };
  for (const Value& item : value.items) include(item);
  for (const auto& [key, entry] : value.entries) {
    ++all.nodes;
    include(entry);
  }
  return all;
}

}  // namespace

void TreeBuilder::stop(const std::string& code, const std::string& message, const Value& at,
                       const std::string& help) const {
  throw ParseStopped{mistake(code, message, at, help)};
}

void TreeBuilder::place(Value* value, size_t offset, size_t bytes) const {
  value->at = source_.position(offset, bytes);
  value->source_line = source_.line_at(offset);
}

bool TreeBuilder::expects_key() const {
  return !frames_.empty() && frames_.back().value.kind == Value::Kind::kMap &&
         !frames_.back().has_key;
}

void TreeBuilder::count(size_t nodes, const Value& at) {
  nodes_ += nodes;
  if (nodes_ > kMaxNodes) {
    stop("too-many-values",
         "more than " + std::to_string(kMaxNodes) + " values once aliases are written out", at);
  }
}

void TreeBuilder::check_tag(const std::string& tag, const Value& at) const {
  if (tag.empty() || tag == "?" || tag == "!" || tag == kStringTag) return;
  diagnostics_->push_back(mistake("yaml-tag", "the tag '" + tag + "' has no meaning here", at,
                                  "remove it; only !!str is known"));
}

void TreeBuilder::OnDocumentStart(const YAML::Mark& mark) {
  if (++documents_ == 1) return;
  Value at;
  place(&at, offset_of(mark), 1);
  stop("several-documents", "a second YAML document begins here", at,
       "one file is one pipeline: remove the '---' or '...' before it");
}

void TreeBuilder::place_null(Value* value, size_t mark) const {
  if (is_null_word(source_.text(), mark, expects_key())) {
    const size_t begin = skip_properties(source_.text(), mark);
    const size_t bytes = source_.text()[begin] == '~' ? 1 : 4;
    value->text = source_.text().substr(begin, bytes);  // where a text is due, it is one
    return place(value, begin, bytes);
  }
  if (frames_.empty() || expects_key()) return place(value, mark, 1);
  const Frame& frame = frames_.back();
  if (frame.value.kind == Value::Kind::kMap) {
    value->at = frame.key.at;
    value->source_line = frame.key.source_line;
  } else {
    place(value, frame.is_flow ? mark : find_empty_entry(source_.text(), mark), 1);
  }
}

void TreeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Value value;
  place_null(&value, offset_of(mark));
  count(1, value);
  add(std::move(value), anchor);
}

void TreeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const Extent extent = alias_extent(source_.text(), offset_of(mark));
  Value at;
  place(&at, extent.begin, extent.size);
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end() || !found->second.complete) {
    stop("yaml-alias", "this alias stands inside its own anchor", at);
  }
  const Anchored& anchored = found->second;
  count(anchored.nodes, at);
  if (static_cast<int>(frames_.size()) + anchored.height > kMaxDepth) {
    stop("too-deep", "nested deeper than " + std::to_string(kMaxDepth) + " levels", at);
  }
  Value value = anchored.value;
  value.at = at.at;
  value.source_line = at.source_line;
  add(std::move(value), 0);
}

void TreeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& text) {
  const Extent extent = scalar_extent(source_.text(), offset_of(mark), text);
  Value value = Value::scalar(text, tag == "!" || tag == kStringTag);
  place(&value, extent.begin, extent.size);
  if (!extent.closed) stop("yaml-syntax", "the closing quote of this text is missing", value);
  check_tag(tag, value);
  count(1, value);
  add(std::move(value), anchor);
}

void TreeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag,
                                  YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  begin(Value::Kind::kList, mark, tag, anchor);
  frames_.back().is_flow = style == YAML::EmitterStyle::Flow;
}

void TreeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value style) {
  begin(Value::Kind::kMap, mark, tag, anchor);
  frames_.back().is_flow = style == YAML::EmitterStyle::Flow;
}

void TreeBuilder::begin(Value::Kind kind, const YAML::Mark& mark, const std::string& tag,
                        YAML::anchor_t anchor) {
  Frame frame;
  frame.value.kind = kind;
  frame.anchor = anchor;
  place(&frame.value, skip_properties(source_.text(), offset_of(mark)), 1);
  check_tag(tag, frame.value);
  count(1, frame.value);
  if (frames_.size() >= kMaxDepth) {
    stop("too-deep", "nested deeper than " + std::to_string(kMaxDepth) + " levels", frame.value);
  }
  if (anchor != 0) anchors_[anchor].complete = false;
  frames_.push_back(std::move(frame));
}

void TreeBuilder::OnSequenceEnd() { end(); }

void TreeBuilder::OnMapEnd() {
  Frame& frame = frames_.back();
  for (const Value& merge : frame.merges) {
    if (merge.kind != Value::Kind::kList) {
      merge_into(&frame.value, merge);
    } else {
      for (const Value& item : merge.items) merge_into(&frame.value, item);
    }
  }
  end();
}

void TreeBuilder::merge_into(Value* map, const Value& merge) {
  if (merge.kind != Value::Kind::kMap) {
    diagnostics_->push_back(
        mistake("yaml-merge", "'<<' takes a mapping or a list of mappings, not " + describe(merge),
                merge, "write '<<: *name' with '&name' at a mapping"));
    return;
  }
  auto& lines = frames_.back().lines;
  for (const auto& [key, value] : merge.entries) {
    if (!lines.try_emplace(key.text, key.at.line).second) continue;
    map->entries.emplace_back(key, value);
  }
}

void TreeBuilder::end() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  add(std::move(frame.value), frame.anchor);
}

void TreeBuilder::add(Value value, YAML::anchor_t anchor) {
  if (anchor != 0) {
    const Measure size = measure(value);
    anchors_[anchor] = {value, size.nodes, size.height, true};
  }
  if (frames_.empty()) {
    root_ = std::move(value);
    has_root_ = true;
    return;
  }
  Frame& frame = frames_.back();
  if (frame.value.kind == Value::Kind::kList) {
    frame.value.items.push_back(std::move(value));
  } else if (!frame.has_key) {
    add_key(std::move(value));
  } else {
    frame.has_key = false;
    if (frame.key.kind != Value::Kind::kScalar) return;
    if (frame.key.text == "<<" && !frame.key.quoted) {
      frame.merges.push_back(std::move(value));
    } else {
      frame.value.entries.emplace_back(std::move(frame.key), std::move(value));
    }
  }
}

/// Remembers the key; one that cannot be used is reported and its value dropped.
void TreeBuilder::add_key(Value key) {
  Frame& frame = frames_.back();
  frame.has_key = true;
  frame.key = std::move(key);
  if (frame.key.kind != Value::Kind::kScalar) {
    diagnostics_->push_back(
        mistake("yaml-key", "a key must be a text, not " + describe(frame.key), frame.key,
                frame.key.kind == Value::Kind::kNull ? "null and ~ are none without quotes" : ""));
    return;
  }
  const std::string name = frame.key.quoted && frame.key.text == "<<" ? "'<<'" : frame.key.text;
  const auto [first, is_new] = frame.lines.try_emplace(name, frame.key.at.line);
  if (is_new) return;
  diagnostics_->push_back(mistake(
      "duplicate-key",
      "key '" + frame.key.text + "' occurs twice: first in line " + std::to_string(first->second),
      frame.key, "remove one of the two"));
  frame.key.kind = Value::Kind::kNull;
}

}  // namespace penstock::config
