#include "config/token.h"

#include <algorithm>
#include <array>

namespace penstock::config {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kDelimiters = " \t\r\n,[]{}";

size_t skip(std::string_view text, size_t offset, std::string_view characters) {
  return std::min(text.find_first_not_of(characters, offset), text.size());
}

size_t find_end(std::string_view text, size_t offset, std::string_view characters) {
  return std::min(text.find_first_of(characters, offset), text.size());
}

Extent quoted_extent(std::string_view text, size_t begin) {
  const char quote = text[begin];
  for (size_t i = begin + 1; i < text.size(); ++i) {
    if (quote == '"' && text[i] == '\\') {
      ++i;
    } else if (text[i] == quote) {
      const bool doubled = quote == '\'' && i + 1 < text.size() && text[i + 1] == '\'';
      if (!doubled) return {begin, i + 1 - begin, true};
      ++i;
    }
  }
  return {begin, text.size() - begin, false};
}

/// A line up to its comment, without blanks at the end.
std::string_view without_comment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] == ' ' || line[i - 1] == '\t')) {
      line = line.substr(0, i);
      break;
    }
  }
  const size_t last = line.find_last_not_of(kBlanks);
  return last == std::string_view::npos ? std::string_view() : line.substr(0, last + 1);
}

}  // namespace

size_t skip_properties(std::string_view text, size_t offset) {
  while (offset < text.size() && (text[offset] == '&' || text[offset] == '!')) {
    offset = skip(text, find_end(text, offset, kDelimiters), kBlanks);
  }
  return offset;
}

Extent scalar_extent(std::string_view text, size_t offset, const std::string& value) {
  const size_t begin = skip_properties(text, offset);
  if (begin >= text.size()) return {text.size(), 0, true};
  const char first = text[begin];
  if (first == '"' || first == '\'') return quoted_extent(text, begin);
  if (text.substr(begin).starts_with(value)) return {begin, value.size(), true};
  if (first == '|' || first == '>') return {begin, 1, true};
  return {begin, find_end(text, begin, "\r\n") - begin, true};
}

Extent alias_extent(std::string_view text, size_t offset) {
  return {offset, find_end(text, offset, kDelimiters) - offset, true};
}

bool is_null_word(std::string_view text, size_t offset, bool as_key) {
  constexpr std::array<std::string_view, 4> kWords = {"null", "Null", "NULL", "~"};
  offset = skip_properties(text, offset);
  if (offset >= text.size()) return false;
  const std::string_view rest = text.substr(offset);
  const auto* word = std::find_if(kWords.begin(), kWords.end(),
                                  [&](std::string_view w) { return rest.starts_with(w); });
  if (word == kWords.end()) return false;
  const size_t next = skip(text, offset + word->size(), " \t");
  return as_key || next >= text.size() || text[next] != ':';
}

size_t find_empty_entry(std::string_view text, size_t mark) {
  size_t end = std::min(mark, text.size());
  for (;;) {
    const size_t newline = end == 0 ? std::string_view::npos : text.rfind('\n', end - 1);
    const size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const std::string_view line = without_comment(text.substr(start, end - start));
    if (line.ends_with('-')) return start + line.size() - 1;
    if (!line.empty() || start == 0) return mark;
    end = start - 1;
  }
}

}  // namespace penstock::config
