#include "config/mistakes.h"

#include <algorithm>

namespace penstock::config {
namespace {

/// Longer texts are cut in messages.
constexpr size_t kMaxShown = 60;

std::string shorten(const std::string& text) {
  const size_t line = text.find('\n');
  if (text.size() <= kMaxShown && line == std::string::npos) return text;
  size_t end = std::min(kMaxShown, line);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  return text.substr(0, end) + "...";
}

std::string with_underscores(std::string word) {
  std::replace(word.begin(), word.end(), '-', '_');
  return word;
}

}  // namespace

std::string join_words(const std::vector<std::string>& words, const std::string& last) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " " + last + " " : ", ";
    text += words[i];
  }
  return text;
}

std::string describe(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kNull:
      return "nothing";
    case Value::Kind::kScalar:
      if (value.text.empty()) return "an empty text";
      return (value.quoted ? "the quoted '" : "'") + shorten(value.text) + "'";
    case Value::Kind::kList:
      return "a list";
    case Value::Kind::kMap:
      return "a mapping";
  }
  return "";
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  std::string close = did_you_mean(word, candidates);
  if (!close.empty()) return close;
  const std::string parts = "_" + with_underscores(word) + "_";
  for (const std::string& candidate : candidates) {
    if (candidate.size() >= 4 && parts.find("_" + candidate + "_") != std::string::npos) {
      return candidate;
    }
  }
  return "";
}

}  // namespace penstock::config
