#pragma once
/// Where a value's text begins and ends in the source: what yaml-cpp's marks do not tell.

#include <cstddef>
#include <string>
#include <string_view>

namespace penstock::config {

/// A piece of the source in bytes.
struct Extent {
  size_t begin = 0;
  size_t size = 0;
  bool closed = true;  ///< false: a quoted text without its closing quote
};

/// Behind the anchors and tags (`&a`, `!!str`) that begin at `offset`, and the blanks after them.
size_t skip_properties(std::string_view text, size_t offset);

/// The text of the scalar whose mark is `offset` and whose value is `value`.
Extent scalar_extent(std::string_view text, size_t offset, const std::string& value);

/// An alias: `*name`.
Extent alias_extent(std::string_view text, size_t offset);

/// True if `null`, `Null`, `NULL` or `~` stands at `offset` as a value: an empty value carries the
/// mark of what follows it, which may be a key of that name.
bool is_null_word(std::string_view text, size_t offset, bool as_key);

/// The '-' of an empty list entry whose mark (that of the next token) is `mark`; `mark` if there
/// is none.
size_t find_empty_entry(std::string_view text, size_t mark);

}  // namespace penstock::config
