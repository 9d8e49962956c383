#include "config/reader.h"

#include <algorithm>
#include <cctype>

#include "config/mistakes.h"
#include "plan/units.h"

namespace penstock::config {
namespace {

bool is_plain(const Value& value) { return value.kind == Value::Kind::kScalar && !value.quoted; }

bool is_all_digits(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string help_for_number(const Value& value) {
  if (value.kind != Value::Kind::kScalar) return "";
  if (value.quoted && parse_float(value.text)) return "remove the quotes";
  if (!has_leading_zero(value.text)) return "";
  std::string digits = value.text;
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return "write " + digits + ": other readers take a leading zero for octal";
}

std::string range(uint64_t low, uint64_t high) {
  const bool open = high == UINT64_MAX;
  if (open && low == 0) return "a whole number from 0 to 2^64 - 1";
  if (open) return "a whole number >= " + std::to_string(low);
  return "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
}

}  // namespace

bool is_identifier(const std::string& text) {
  if (text.empty()) return false;
  const auto letter = [](unsigned char c) {
    return c == '_' || (c < 0x80 && std::isalpha(c) != 0);
  };
  return letter(static_cast<unsigned char>(text[0])) &&
         std::all_of(text.begin(), text.end(), [&](unsigned char c) {
           return letter(c) || c == '-' || (c < 0x80 && std::isdigit(c) != 0);
         });
}

void Reader::error(const std::string& code, const std::string& message, const Value& at,
                   const std::string& help) const {
  diagnostics_->push_back(mistake(code, message, at, help));
}

void Reader::wrong(const std::string& code, const std::string& path, const std::string& due,
                   const Value& value, const std::string& help) const {
  error(code, path + " must be " + due + ", not " + describe(value), value, help);
}

bool Reader::is_map(const Value& value, const std::string& path, const std::string& help) const {
  if (value.kind == Value::Kind::kMap) return true;
  wrong("wrong-type", path, "a mapping", value, help);
  return false;
}

void Reader::check_keys(const Value& map, const Words& keys, const std::string& what) const {
  for (const auto& [key, value] : map.entries) {
    if (std::find(keys.begin(), keys.end(), key.text) != keys.end()) continue;
    if (&keys == &top_keys() && is_free_key(key.text)) continue;
    error("unknown-key", what + " has no key '" + key.text + "'", key,
          help_for_key(key.text, keys));
  }
}

std::optional<std::string> Reader::text(const Value& value, const std::string& path) const {
  if (value.kind == Value::Kind::kScalar && !value.text.empty()) return value.text;
  wrong("wrong-type", path, "a text", value);
  return std::nullopt;
}

std::vector<Value> Reader::texts(const Value& value, const std::string& path) const {
  if (value.kind == Value::Kind::kScalar && !value.text.empty()) return {value};
  if (value.kind != Value::Kind::kList) {
    wrong("wrong-type", path, "a text or a list of texts", value);
    return {};
  }
  std::vector<Value> result;
  for (size_t i = 0; i < value.items.size(); ++i) {
    const Value& item = value.items[i];
    if (text(item, path + "[" + std::to_string(i) + "]")) result.push_back(item);
  }
  return result;
}

std::optional<bool> Reader::boolean(const Value& value, const std::string& path) const {
  if (is_plain(value) && (value.text == "true" || value.text == "false")) {
    return value.text == "true";
  }
  wrong("wrong-type", path, "true or false", value,
        value.quoted && (value.text == "true" || value.text == "false") ? "remove the quotes" : "");
  return std::nullopt;
}

std::optional<uint64_t> Reader::whole(const Value& value, const std::string& path, uint64_t low,
                                      uint64_t high) const {
  const auto number = is_plain(value) ? parse_uint(value.text) : std::nullopt;
  if (number && *number >= low && *number <= high) return number;
  const bool is_number = number || (is_plain(value) && parse_int(value.text)) ||
                         (is_plain(value) && is_all_digits(value.text) && value.text[0] != '0');
  wrong(is_number ? "bad-value" : "wrong-type", path, range(low, high), value,
        help_for_number(value));
  return std::nullopt;
}

std::optional<double> Reader::fraction(const Value& value, const std::string& path) const {
  const auto number = is_plain(value) ? parse_float(value.text) : std::nullopt;
  if (number && *number >= 0 && *number <= 1) return number;
  wrong(number ? "bad-value" : "wrong-type", path, "a number from 0 to 1", value,
        help_for_number(value));
  return std::nullopt;
}

std::optional<uint64_t> Reader::bytes(const Value& value, const std::string& path) const {
  const auto number = value.kind == Value::Kind::kScalar ? parse_bytes(value.text) : std::nullopt;
  if (number && *number > 0) return static_cast<uint64_t>(*number);
  const bool bare = value.kind == Value::Kind::kScalar && parse_uint(value.text).value_or(0) > 0;
  wrong(number ? "bad-value" : "wrong-type", path, "a size such as 256MiB", value,
        bare ? "add the unit: " + value.text + "MiB, or " + value.text + "B for bytes"
             : "the units are B, KiB, MiB, GiB, TiB (of 1024) and kB, MB, GB, TB (of 1000)");
  return std::nullopt;
}

std::optional<int64_t> Reader::duration(const Value& value, const std::string& path) const {
  const auto number =
      value.kind == Value::Kind::kScalar ? parse_duration_ns(value.text) : std::nullopt;
  if (number) return number;
  const bool bare = value.kind == Value::Kind::kScalar && parse_uint(value.text).has_value();
  wrong("wrong-type", path, "a duration such as 8ms", value,
        bare ? "add the unit: " + value.text + "ms" : "the units are ns, us, ms, s, min and h");
  return std::nullopt;
}

std::optional<size_t> Reader::choice(const Value& value, const std::string& path,
                                     const Words& choices) const {
  if (value.kind == Value::Kind::kScalar) {
    const auto found = std::find(choices.begin(), choices.end(), value.text);
    if (found != choices.end()) return static_cast<size_t>(found - choices.begin());
  }
  const bool is_scalar = value.kind == Value::Kind::kScalar;
  const std::string close = is_scalar ? nearest(value.text, choices) : "";
  wrong(is_scalar ? "bad-value" : "wrong-type", path, join_words(choices), value,
        close.empty() ? "" : "did you mean '" + close + "'?");
  return std::nullopt;
}

}  // namespace penstock::config
