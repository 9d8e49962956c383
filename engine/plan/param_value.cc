#include "plan/param_value.h"

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "penstock/tensor.h"
#include "plan/units.h"

namespace penstock {
namespace {

std::string number_text(double number) {
  char buffer[32];
  const auto result = std::to_chars(std::begin(buffer), std::end(buffer), number);
  return {buffer, result.ptr};
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

std::string expected(ParamType type) {
  switch (type) {
    case ParamType::kBool:
      return "true or false";
    case ParamType::kInt:
    case ParamType::kIntList:
      return "a whole number";
    case ParamType::kFloat:
    case ParamType::kFloatList:
      return "a number";
    case ParamType::kDuration:
      return "a duration";
    case ParamType::kBytes:
      return "a size";
    case ParamType::kDType:
      return "an element type";
    default:
      return "a text";
  }
}

bool is_list(ParamType type) {
  return type == ParamType::kIntList || type == ParamType::kFloatList ||
         type == ParamType::kStringList;
}

ParamType element_type(ParamType type) {
  if (type == ParamType::kIntList) return ParamType::kInt;
  if (type == ParamType::kFloatList) return ParamType::kFloat;
  if (type == ParamType::kStringList) return ParamType::kString;
  return type;
}

/// Converts scalars of one parameter.
class Converter {
 public:
  Converter(const Param& param, std::string path, const std::string& base_dir, Complaints* say)
      : param_(param), path_(std::move(path)), base_dir_(base_dir), say_(say) {}

  std::optional<ParamValue> scalar(const Value& value) {
    const ParamType type = element_type(param_.type);
    const bool takes_text = type == ParamType::kString;
    if (value.kind == Value::Kind::kNull && !(takes_text && !value.text.empty())) {
      return wrong(value, "has no value", "leave the key out for the default");
    }
    if (value.kind == Value::Kind::kList || value.kind == Value::Kind::kMap) {
      const bool list = value.kind == Value::Kind::kList;
      const std::string due = is_list(param_.type) ? std::string("a ") : expected(type);
      return wrong(value, "must be " + due +
                              (is_list(param_.type) ? std::string(name_of(param_.type)) : "") +
                              ", not a " + (list ? "list" : "mapping"));
    }
    switch (type) {
      case ParamType::kBool:
        return boolean(value);
      case ParamType::kInt:
        return whole_number(value);
      case ParamType::kFloat:
        return number(value);
      case ParamType::kDuration:
        return with_unit(value, parse_duration_ns(value.text), "8ms, 2s or 500us");
      case ParamType::kBytes:
        return with_unit(value, parse_bytes(value.text), "256MiB, 2GB or 4096B");
      case ParamType::kChoice:
        return choice(value);
      case ParamType::kDType:
        return dtype(value);
      case ParamType::kPath:
        return path(value);
      default:
        return ParamValue(value.text);
    }
  }

  template <typename T>
  std::optional<ParamValue> list(const Value& value) {
    if (value.kind != Value::Kind::kList) {
      auto one = scalar(value);
      if (!one) return std::nullopt;
      return counted(value, ParamValue(std::vector<T>{std::get<T>(*one)}), 1);
    }
    std::vector<T> items;
    bool good = true;
    const std::string path = path_;
    for (size_t i = 0; i < value.items.size(); ++i) {
      path_ = path + "[" + std::to_string(i) + "]";
      auto item = scalar(value.items[i]);
      if (item) items.push_back(std::get<T>(*item));
      good = good && item;
    }
    path_ = path;
    if (!good) return std::nullopt;
    const size_t count = items.size();
    return counted(value, ParamValue(std::move(items)), count);
  }

 private:
  std::nullopt_t wrong(const Value& value, const std::string& what, std::string help = "") {
    say_->error("bad-param", path_ + " " + what, place_of_value(value), std::move(help));
    return std::nullopt;
  }
  static Place place_of_value(const Value& value) { return {value.at, value.source_line}; }

  std::nullopt_t wrong_text(const Value& value, std::string help = "") {
    const std::string what = value.quoted ? "the text '" : "'";
    return wrong(
        value,
        "must be " + expected(element_type(param_.type)) + ", not " + what + value.text + "'",
        std::move(help));
  }

  std::optional<ParamValue> boolean(const Value& value) {
    if (!value.quoted && value.text == "true") return ParamValue(true);
    if (!value.quoted && value.text == "false") return ParamValue(false);
    const bool only_quotes = value.quoted && (value.text == "true" || value.text == "false");
    return wrong_text(value, only_quotes ? "remove the quotes" : "write true or false");
  }

  std::nullopt_t not_a_number(const Value& value, bool without_quotes_it_is) {
    if (without_quotes_it_is) return wrong_text(value, "remove the quotes");
    if (!has_leading_zero(value.text)) return wrong_text(value);
    return wrong(value, "has a leading zero: '" + value.text + "'",
                 "some readers take that for an octal number: write it without the zero, or in "
                 "quotes where a text is meant");
  }

  std::optional<ParamValue> whole_number(const Value& value) {
    const auto number = parse_int(value.text);
    if (!number || value.quoted) return not_a_number(value, number && value.quoted);
    return in_range(value, *number, ParamValue(*number));
  }

  std::optional<ParamValue> number(const Value& value) {
    const auto number = parse_float(value.text);
    if (!number || value.quoted) return not_a_number(value, number && value.quoted);
    return in_range(value, *number, ParamValue(*number));
  }

  std::optional<ParamValue> with_unit(const Value& value, std::optional<int64_t> number,
                                      const std::string& examples) {
    if (!number) return wrong_text(value, "write the number with its unit, as " + examples);
    return in_range(value, *number, ParamValue(*number));
  }

  std::string bound(double number) const {
    const auto whole = static_cast<int64_t>(number);
    if (param_.type == ParamType::kDuration) return format_duration_ns(whole);
    if (param_.type == ParamType::kBytes) return format_bytes(whole);
    return number_text(number);
  }

  /// long double holds every int64_t and every double exactly.
  std::optional<ParamValue> in_range(const Value& value, long double number, ParamValue result) {
    const bool low = !param_.low || number >= *param_.low;
    const bool high = !param_.high || number <= *param_.high;
    if (low && high) return result;
    std::string range = "must be at ";
    range += low ? "most " + bound(*param_.high) : "least " + bound(*param_.low);
    if (param_.low && param_.high) {
      range = "must be between " + bound(*param_.low) + " and " + bound(*param_.high);
    }
    return wrong(value, range + ", not " + value.text);
  }

  std::optional<ParamValue> choice(const Value& value) {
    const auto& all = param_.choices;
    if (std::find(all.begin(), all.end(), value.text) != all.end()) return ParamValue(value.text);
    const std::string near = did_you_mean(value.text, all);
    return wrong(value, "must be one of " + joined(all) + ", not '" + value.text + "'",
                 near.empty() ? "" : "did you mean '" + near + "'?");
  }

  std::optional<ParamValue> dtype(const Value& value) {
    DType found;
    if (dtype_from_name(value.text, &found)) return ParamValue(value.text);
    const std::vector<std::string> all = {"uint8", "int8",    "uint16",  "int16",   "int32",
                                          "int64", "float16", "float32", "float64", "bool"};
    return wrong_text(value, suggestion(value.text, all, "the element types are"));
  }

  std::optional<ParamValue> path(const Value& value) {
    if (value.text.empty()) return wrong(value, "is an empty path");
    std::filesystem::path base = base_dir_.empty() ? "." : base_dir_;
    std::error_code ignored;
    const auto whole = std::filesystem::absolute(base / value.text, ignored).lexically_normal();
    return ParamValue(whole.string());
  }

  std::optional<ParamValue> counted(const Value& value, ParamValue list, size_t count) {
    const size_t low = param_.min_items;
    const size_t high = param_.max_items;
    if (count >= low && (high == 0 || count <= high)) return list;
    std::string need = std::to_string(low);
    if (low != high) need = count < low ? "at least " + need : "at most " + std::to_string(high);
    return wrong(value, "needs " + need + " values, not " + std::to_string(count));
  }

  const Param& param_;
  std::string path_;
  const std::string& base_dir_;
  Complaints* say_;
};

template <typename T>
std::string list_text(const std::vector<T>& items) {
  std::string text = "[";
  for (const T& item : items) text += canonical_text(ParamValue(item)) + ",";
  return text + "]";
}

}  // namespace

std::optional<ParamValue> convert_value(const Value& value, const Param& param,
                                        const std::string& path, const std::string& base_dir,
                                        Complaints* say) {
  Converter convert(param, path, base_dir, say);
  if (!is_list(param.type)) return convert.scalar(value);
  if (param.type == ParamType::kIntList) return convert.list<int64_t>(value);
  if (param.type == ParamType::kFloatList) return convert.list<double>(value);
  return convert.list<std::string>(value);
}

std::string canonical_text(const ParamValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<int64_t>(&value)) return std::to_string(*whole);
  if (const auto* number = std::get_if<double>(&value)) return number_text(*number);
  // The length in front keeps texts apart whatever they hold.
  if (const auto* text = std::get_if<std::string>(&value)) {
    return std::to_string(text->size()) + ":" + *text;
  }
  if (const auto* wholes = std::get_if<std::vector<int64_t>>(&value)) return list_text(*wholes);
  if (const auto* numbers = std::get_if<std::vector<double>>(&value)) return list_text(*numbers);
  if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) return list_text(*texts);
  return "none";
}

}  // namespace penstock
