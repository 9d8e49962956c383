#include "plan/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace penstock {
namespace {

struct Unit {
  std::string_view name;
  int64_t factor;
};

constexpr std::array kDurations = {
    Unit{"h", 3'600'000'000'000}, Unit{"min", 60'000'000'000}, Unit{"s", 1'000'000'000},
    Unit{"ms", 1'000'000},        Unit{"us", 1'000},           Unit{"ns", 1}};

constexpr int64_t kKi = 1024;
constexpr std::array kSizes = {Unit{"TiB", kKi* kKi* kKi* kKi},
                               Unit{"GiB", kKi* kKi* kKi},
                               Unit{"MiB", kKi* kKi},
                               Unit{"KiB", kKi},
                               Unit{"TB", 1'000'000'000'000},
                               Unit{"GB", 1'000'000'000},
                               Unit{"MB", 1'000'000},
                               Unit{"kB", 1'000},
                               Unit{"KB", 1'000},
                               Unit{"B", 1}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

size_t count_digits(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

template <typename T>
std::optional<T> parse_digits(std::string_view text) {
  if (text.empty() || count_digits(text) != text.size()) return std::nullopt;
  if (text.size() > 1 && text[0] == '0') return std::nullopt;
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

/// Digits after the point, times the factor, rounded; digits beyond the 9th are below any unit's
/// meaning and refused by the caller's form check.
std::optional<int64_t> scale_fraction(std::string_view digits, int64_t factor) {
  if (digits.size() > 9) return std::nullopt;
  long double value = 0, place = 1;
  for (const char c : digits) {
    value = value * 10 + (c - '0');
    place *= 10;
  }
  return static_cast<int64_t>(std::llround(value * static_cast<long double>(factor) / place));
}

template <size_t N>
std::optional<int64_t> parse_with_unit(std::string_view text, const std::array<Unit, N>& units) {
  if (text == "0") return 0;
  const std::string_view whole_digits = text.substr(0, count_digits(text));
  const auto whole = parse_digits<int64_t>(whole_digits);
  if (!whole) return std::nullopt;
  text.remove_prefix(whole_digits.size());
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = text.substr(0, count_digits(text));
    if (fraction.empty()) return std::nullopt;
    text.remove_prefix(fraction.size());
  }
  if (text.starts_with(' ')) text.remove_prefix(1);
  const auto* unit = std::find_if(units.begin(), units.end(),
                                  [&](const Unit& candidate) { return candidate.name == text; });
  if (unit == units.end()) return std::nullopt;
  const auto part = scale_fraction(fraction, unit->factor);
  int64_t value = 0;
  if (!part || __builtin_mul_overflow(*whole, unit->factor, &value) ||
      __builtin_add_overflow(value, *part, &value)) {
    return std::nullopt;
  }
  return value;
}

template <size_t N>
std::string format_with_unit(int64_t value, const std::array<Unit, N>& units) {
  if (value == 0) return "0";
  std::string best;
  for (const Unit& unit : units) {
    if (value % unit.factor != 0) continue;
    const std::string form = std::to_string(value / unit.factor) + std::string(unit.name);
    if (best.empty() || form.size() < best.size()) best = form;
  }
  return best;
}

}  // namespace

std::optional<int64_t> parse_duration_ns(std::string_view text) {
  return parse_with_unit(text, kDurations);
}

std::optional<int64_t> parse_bytes(std::string_view text) { return parse_with_unit(text, kSizes); }

std::optional<int64_t> parse_int(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const auto magnitude = parse_digits<uint64_t>(text);
  constexpr uint64_t kMax = INT64_MAX;
  if (!magnitude || *magnitude > kMax + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<int64_t>(negative ? 0 - *magnitude : *magnitude);
}

std::optional<uint64_t> parse_uint(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return parse_digits<uint64_t>(text);
}

std::optional<double> parse_float(std::string_view text) {
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  const bool signed_plus = text.starts_with('+');
  const size_t whole = count_digits(rest);
  if (has_leading_zero(text)) return std::nullopt;
  if (whole == 0 && !(rest.size() > 1 && rest[0] == '.' && is_digit(rest[1]))) return std::nullopt;
  if (signed_plus) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!std::isfinite(value)) return std::nullopt;
  return value;
}

bool has_leading_zero(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return text.size() > 1 && text[0] == '0' && is_digit(text[1]);
}

std::string format_duration_ns(int64_t ns) { return format_with_unit(ns, kDurations); }

std::string format_bytes(int64_t bytes) { return format_with_unit(bytes, kSizes); }

}  // namespace penstock
