#pragma once
/// A text to parse and the places in it.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "penstock/diagnostic.h"

namespace penstock::config {

/// The largest file that is read, in bytes.
constexpr size_t kMaxFileBytes = size_t{1} << 20;
/// Longer lines are left out of messages: each value would carry a copy.
constexpr size_t kMaxPictureBytes = 400;

/// The text of a file with its lines. Columns count characters (Unicode code points) from 1. For
/// one thread at a time: position() remembers where it was, so that a long line is counted once.
class Source {
 public:
  /// `name` as the user gave it. A byte-order mark is dropped.
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  /// Byte offset of a 0-based line and byte column, kept inside the text.
  size_t offset(int line, int byte_column) const;
  /// Place of a byte offset; `bytes` are underlined, as far as they stand in one line.
  Position position(size_t offset, size_t bytes = 1) const;
  /// The line around an offset without its end, or "" when it is too long to show.
  std::string line_at(size_t offset) const;

 private:
  size_t line_index(size_t offset) const;
  /// Characters from the start of the line to `column`, a byte of it.
  size_t characters_before(size_t line_start, size_t column) const;
  std::string_view line(size_t index) const;

  std::string name_, text_;
  std::vector<size_t> starts_;
  mutable size_t seen_offset_ = 0, seen_line_start_ = 0, seen_characters_ = 0;
};

/// Characters of a UTF-8 text.
size_t count_characters(std::string_view text);

/// Why the text is not one that YAML allows (UTF-16, NUL, bad UTF-8, control characters), with the
/// place; nothing if it is fine.
std::optional<Diagnostic> check_encoding(const Source& source);

/// Reads at most kMaxFileBytes of a file; otherwise returns nothing and says why in `reason`.
std::optional<std::string> read_file(const std::string& path, std::string* reason);

}  // namespace penstock::config
