#pragma once
/// Numbers and columns for people. Nothing here depends on the locale.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace penstock {

/// "412 us", "0.41 ms", "33.0 ms", "2.10 s": three digits and the unit that fits.
std::string duration_text(double ms);
/// "3.6 MiB", "512 B".
std::string bytes_text(uint64_t bytes);
/// "3.5 %", "0 %", "<0.1 %" for a share of 1.
std::string percent_text(double share);
/// "1828.5", "0.412": four or five digits.
std::string rate_text(double per_second);
/// "1 batch", "3 batches".
std::string count_text(uint64_t count, std::string_view one, std::string_view many);

/// Columns that a terminal shows for a UTF-8 text (one for a code point).
size_t width_of(std::string_view text);
/// The text as it may go to a terminal (printable()), cut to `width` columns ("abcd..") where it is
/// longer.
std::string fit(std::string_view given, size_t width);

/// The text as lines of at most `width` columns, broken between words (a longer word stands alone);
/// each begins with `indent` spaces and ends with a newline.
std::string wrap(std::string_view text, size_t indent, size_t width);

/// Rows of cells, padded to the widest of each column and two spaces apart.
class Table {
 public:
  enum class Align { kLeft, kRight };
  explicit Table(std::vector<Align> columns) : columns_(std::move(columns)) {}
  /// One row; its cells are as many as the columns.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  /// Columns of its longest line.
  size_t width() const;
  /// Lines ending in a newline, without spaces before it.
  std::string text() const;
  /// The same as a table of Markdown; the first row is its head.
  std::string markdown() const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace penstock
