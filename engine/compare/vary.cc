#include "compare/vary.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include "compare/bad_request.h"

namespace penstock {
namespace {

constexpr const char* kExample = "for example --vary nodes.decode.concurrency=1,2,4 or =1..8";

/// A number and the unit behind it.
struct Quantity {
  double value = 0;
  std::string unit;
};

std::optional<Quantity> quantity_of(std::string_view text) {
  Quantity quantity;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), quantity.value);
  if (error != std::errc() || !std::isfinite(quantity.value)) return std::nullopt;
  quantity.unit = std::string(end, text.data() + text.size());
  const bool word = std::all_of(quantity.unit.begin(), quantity.unit.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  });
  if (!word) return std::nullopt;
  return quantity;
}

std::vector<std::string> split_values(std::string_view text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = '\0';
  for (const char c : text) {
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      values.emplace_back();
      continue;
    }
    values.back() += c;
  }
  for (std::string& value : values) {
    const size_t begin = std::min(value.find_first_not_of(" \t"), value.size());
    value = value.substr(begin, value.find_last_not_of(" \t") + 1 - begin);
  }
  return values;
}

/// LOW..HIGH[:STEP] in its parts.
struct Range {
  double low = 0, high = 0, step = 1;
  bool multiply = false;
  std::string unit;
  /// The same where all are whole: doubles would round them above 2^53.
  std::optional<std::array<uint64_t, 3>> whole;
};

[[noreturn]] void bad_range(const std::string& text, const std::string& why) {
  throw BadRequest(fmt::format("'{}' is no range: {}", text, why),
                   "a range is LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:*FACTOR, as 1..8, 10..50:10 "
                   "or 1..16:*2");
}

/// The whole number that stands before a unit; nothing where it is no such number.
std::optional<uint64_t> whole_of(const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) bad_range(text, "it is more than 2^64 - 1");
  const char* digit = std::find_if(end, text.data() + text.size(),
                                   [](char c) { return c == '.' || (c >= '0' && c <= '9'); });
  if (error != std::errc() || digit != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Nothing where the text is not meant as a range (a path with ".." in it).
std::optional<Range> range_of(const std::string& text) {
  const size_t dots = text.find("..");
  if (dots == std::string::npos) return std::nullopt;
  const auto low = quantity_of(text.substr(0, dots));
  if (!low) return std::nullopt;
  const size_t colon = text.find(':', dots);
  const auto high = quantity_of(text.substr(dots + 2, colon - dots - 2));
  if (!high) bad_range(text, "its end is no number");
  Range range{.low = low->value, .high = high->value, .unit = high->unit};
  if (!low->unit.empty() && low->unit != high->unit) bad_range(text, "its ends differ in unit");
  if (colon != std::string::npos) {
    range.multiply = text.substr(colon + 1).starts_with('*');
    const auto step = quantity_of(text.substr(colon + (range.multiply ? 2 : 1)));
    if (!step) bad_range(text, "its step is no number");
    if (!step->unit.empty() && (range.multiply || step->unit != range.unit)) {
      bad_range(text, "its step has another unit");
    }
    range.step = step->value;
  }
  const auto whole_low = whole_of(text.substr(0, dots));
  const auto whole_high = whole_of(text.substr(dots + 2, colon - dots - 2));
  const auto whole_step = colon == std::string::npos
                              ? std::optional<uint64_t>(1)
                              : whole_of(text.substr(colon + (range.multiply ? 2 : 1)));
  if (whole_low && whole_high && whole_step) range.whole = {*whole_low, *whole_high, *whole_step};
  const bool falls = range.whole ? *whole_high < *whole_low : range.high < range.low;
  if (falls) bad_range(text, "it must go upwards");
  if (range.multiply ? range.step <= 1 || range.low <= 0 : range.step <= 0) {
    bad_range(text, "its steps do not go upwards");
  }
  return range;
}

std::string number_text(double value) {
  std::array<char, 64> digits{};
  // 12 digits hide that steps as 0.1 are no exact doubles.
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                          std::chars_format::general, 12);
  return {digits.data(), end};
}

[[noreturn]] void too_many(size_t count) {
  throw BadRequest(fmt::format("{} values or runs are too many ({} at most)", count, kMostValues),
                   "vary fewer keys at once, or in larger steps");
}

void add_value(const std::string& value, std::vector<std::string>* values) {
  if (values->size() == kMostValues) too_many(kMostValues + 1);
  values->push_back(value);
}

void add_whole_range(const Range& range, std::vector<std::string>* values) {
  const auto [low, high, step] = *range.whole;
  for (uint64_t value = low; value <= high;) {
    add_value(std::to_string(value) + range.unit, values);
    if (range.multiply ? __builtin_mul_overflow(value, step, &value)
                       : __builtin_add_overflow(value, step, &value)) {
      return;
    }
  }
}

void add_range(const Range& range, std::vector<std::string>* values) {
  if (range.whole) return add_whole_range(range, values);
  // Steps as 0.1 are no exact doubles.
  const double end = range.multiply ? range.high * (1 + 1e-12) : range.high + 1e-9 * range.step;
  for (size_t i = 0;; ++i) {
    const auto n = static_cast<double>(i);
    double value =
        range.multiply ? range.low * std::pow(range.step, n) : range.low + range.step * n;
    if (value > end) return;
    if (std::abs(value) < 1e-9 * range.step && !range.multiply) value = 0;
    add_value(number_text(value) + range.unit, values);
  }
}

double unit_factor(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, double>, 9> kUnits = {{{"us", 1e3},
                                                                          {"ms", 1e6},
                                                                          {"s", 1e9},
                                                                          {"KiB", 0x1p10},
                                                                          {"MiB", 0x1p20},
                                                                          {"GiB", 0x1p30},
                                                                          {"KB", 1e3},
                                                                          {"MB", 1e6},
                                                                          {"GB", 1e9}}};
  for (const auto& [name, factor] : kUnits) {
    if (name == unit) return factor;
  }
  return 1;
}

/// Calls `visit` with every combination of the values of these keys.
template <typename Visit>
void combine(const std::vector<Vary>& keys, const std::vector<size_t>& chosen, size_t next,
             SweepRow* row, const Visit& visit) {
  if (next == chosen.size()) return visit(*row);
  const size_t key = chosen[next];
  for (const std::string& value : keys[key].values) {
    row->values[key] = value;
    combine(keys, chosen, next + 1, row, visit);
  }
  row->values[key] = std::nullopt;
}

}  // namespace

Vary parse_vary(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw BadRequest(fmt::format("--vary {}: a key, '=' and values are due", text), kExample);
  }
  Vary vary{.key = text.substr(0, equals), .values = {}};
  for (const std::string& value : split_values(std::string_view(text).substr(equals + 1))) {
    if (value.empty()) {
      throw BadRequest(fmt::format("--vary {}: a value is missing", text), kExample);
    }
    if (const auto range = range_of(value)) {
      add_range(*range, &vary.values);
    } else {
      vary.values.push_back(value);
    }
  }
  if (vary.values.size() > kMostValues) too_many(vary.values.size());
  return vary;
}

bool is_setting(std::string_view key) {
  constexpr std::array<std::string_view, 7> kSettings = {"concurrency", "queue",   "items", "bytes",
                                                         "order",       "threads", "memory"};
  if (key.find(".params.") != std::string_view::npos) return false;
  const std::string_view last = key.substr(key.rfind('.') + 1);
  return std::find(kSettings.begin(), kSettings.end(), last) != kSettings.end();
}

std::optional<double> number_of(std::string_view value) {
  const auto quantity = quantity_of(value);
  if (!quantity) return std::nullopt;
  return quantity->value * unit_factor(quantity->unit);
}

std::vector<std::string> SweepRow::sets(const std::vector<Vary>& keys) const {
  std::vector<std::string> sets;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (values[i]) sets.push_back(keys[i].key + "=" + *values[i]);
  }
  return sets;
}

std::vector<SweepRow> sweep_rows(const std::vector<Vary>& keys) {
  std::vector<size_t> work, settings;
  std::set<std::string> seen;
  size_t of_work = 1, of_settings = 1;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!seen.insert(keys[i].key).second) {
      throw BadRequest(fmt::format("--vary {} comes twice", keys[i].key),
                       "give all its values at once, apart by commas");
    }
    const bool setting = is_setting(keys[i].key);
    (setting ? settings : work).push_back(i);
    (setting ? of_settings : of_work) *= keys[i].values.size();
    if (of_work * (of_settings + 1) > kMostValues) too_many(of_work * (of_settings + 1));
  }
  std::vector<SweepRow> rows;
  SweepRow row;
  row.values.resize(keys.size());
  combine(keys, work, 0, &row, [&](SweepRow& each) {
    each.serial = true;
    rows.push_back(each);
    each.serial = false;
    combine(keys, settings, 0, &each, [&](const SweepRow& one) { rows.push_back(one); });
  });
  return rows;
}

}  // namespace penstock
