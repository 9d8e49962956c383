#include "config/source.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>

namespace penstock::config {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

/// Length of the well-formed UTF-8 sequence at `at`, 0 if there is none (overlong forms, surrogates
/// and values above U+10FFFF are not well-formed).
size_t sequence_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) {
    return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
  };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  if (lead == 0xE0 && second < 0xA0) return 0;
  if (lead == 0xED && second > 0x9F) return 0;
  if (lead == 0xF0 && second < 0x90) return 0;
  if (lead == 0xF4 && second > 0x8F) return 0;
  return length;
}

std::string hex_byte(unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

/// The byte offset and the reason of the first byte that YAML does not allow.
std::optional<std::pair<size_t, std::string>> find_bad_byte(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    return std::pair(size_t{0}, std::string("the file is UTF-16, not UTF-8"));
  }
  for (size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte == 0) return std::pair(i, std::string("a NUL byte: this is no text file"));
    const bool lone_return = byte == '\r' && (i + 1 == text.size() || text[i + 1] != '\n');
    if (lone_return) return std::pair(i, std::string("a carriage return without a line feed"));
    const bool control = byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r';
    if (control || byte == 0x7F) return std::pair(i, "a control character " + hex_byte(byte));
    const size_t length = sequence_length(text, i);
    if (length == 0) return std::pair(i, "byte " + hex_byte(byte) + " is not valid UTF-8");
    i += length;
  }
  return std::nullopt;
}

}  // namespace

size_t count_characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), std::not_fn(is_continuation)));
}

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  if (text_.starts_with(kByteOrderMark)) text_.erase(0, kByteOrderMark.size());
  starts_.push_back(0);
  for (size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') starts_.push_back(i + 1);
  }
}

size_t Source::offset(int line, int byte_column) const {
  const size_t index = std::min(static_cast<size_t>(std::max(line, 0)), starts_.size() - 1);
  const size_t start = starts_[index] + static_cast<size_t>(std::max(byte_column, 0));
  return std::min(start, text_.size());
}

size_t Source::line_index(size_t offset) const {
  const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
  return static_cast<size_t>(after - starts_.begin()) - 1;
}

std::string_view Source::line(size_t index) const {
  const size_t end = index + 1 < starts_.size() ? starts_[index + 1] - 1 : text_.size();
  std::string_view line(text_.data() + starts_[index], end - starts_[index]);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

size_t Source::characters_before(size_t line_start, size_t column) const {
  const size_t offset = line_start + column;
  if (line_start != seen_line_start_ || offset < seen_offset_) {
    seen_line_start_ = seen_offset_ = line_start;
    seen_characters_ = 0;
  }
  const std::string_view text = text_;
  seen_characters_ += count_characters(text.substr(seen_offset_, offset - seen_offset_));
  seen_offset_ = offset;
  return seen_characters_;
}

Position Source::position(size_t offset, size_t bytes) const {
  offset = std::min(offset, text_.size());
  const size_t index = line_index(offset);
  const std::string_view here = line(index);
  const size_t column = std::min(offset - starts_[index], here.size());
  Position at;
  at.file = name_;
  at.line = static_cast<int>(index) + 1;
  at.column = static_cast<int>(characters_before(starts_[index], column)) + 1;
  at.length = std::max(1, static_cast<int>(count_characters(here.substr(column, bytes))));
  return at;
}

std::string Source::line_at(size_t offset) const {
  const std::string_view here = line(line_index(std::min(offset, text_.size())));
  return here.size() <= kMaxPictureBytes ? std::string(here) : std::string();
}

std::optional<Diagnostic> check_encoding(const Source& source) {
  const auto bad = find_bad_byte(source.text());
  if (!bad) return std::nullopt;
  Diagnostic diagnostic;
  diagnostic.code = "encoding";
  diagnostic.message = bad->second;
  diagnostic.at = source.position(bad->first);
  diagnostic.help = "save the file as UTF-8 text";
  return diagnostic;
}

std::optional<std::string> read_file(const std::string& path, std::string* reason) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    *reason = "it is a folder";
    return std::nullopt;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) {
    *reason = std::strerror(errno);
    return std::nullopt;
  }
  std::string text(kMaxFileBytes + 1, '\0');
  const size_t size = std::fread(text.data(), 1, text.size(), file.get());
  if (std::ferror(file.get()) != 0) {
    *reason = std::strerror(errno);
    return std::nullopt;
  }
  if (size > kMaxFileBytes) {
    *reason = "it is larger than 1 MiB";
    return std::nullopt;
  }
  text.resize(size);
  return text;
}

}  // namespace penstock::config
