#include "report/schema_doc.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <utility>

#include "plan/parameters.h"

namespace penstock {
namespace {

struct Unit {
  const char* name;
  int64_t size;
};
constexpr std::array<Unit, 4> kTimes{
    {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1000}, {"ns", 1}}};
constexpr std::array<Unit, 4> kSizes{
    {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"B", 1}}};

/// In the largest unit that gives a whole number.
std::string with_unit(int64_t value, const std::array<Unit, 4>& units) {
  for (const Unit& unit : units) {
    if (value % unit.size == 0 && value != 0)
      return fmt::format("{}{}", value / unit.size, unit.name);
  }
  return fmt::format("0{}", units.back().name);
}

/// A value as one would write it in YAML.
struct ValueText {
  ParamType type;
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const {
    if (type == ParamType::kDuration) return with_unit(value, kTimes);
    if (type == ParamType::kBytes) return with_unit(value, kSizes);
    return fmt::format("{}", value);
  }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const { return value.empty() ? "\"\"" : value; }
  template <typename T>
  std::string operator()(const std::vector<T>& values) const {
    return fmt::format("[{}]", fmt::join(values, ", "));
  }
};

/// A bound of a range, in the words of the parameter's type.
std::string bound(const Param& param, double value) {
  const bool has_unit = param.type == ParamType::kDuration || param.type == ParamType::kBytes;
  if (has_unit && value == 0) return "0";
  if (has_unit) return ValueText{param.type}(static_cast<int64_t>(value));
  return value == static_cast<double>(static_cast<int64_t>(value))
             ? fmt::format("{}", static_cast<int64_t>(value))
             : fmt::format("{}", value);
}

std::string element_range(const Param& param) {
  if (param.low && param.high) {
    return bound(param, *param.low) + " to " + bound(param, *param.high);
  }
  if (param.low) return "at least " + bound(param, *param.low);
  if (param.high) return "at most " + bound(param, *param.high);
  return "";
}

std::string range_of(const Param& param) {
  std::string each = element_range(param);
  const auto [low, high] = std::pair(param.min_items, param.max_items);
  if (low == 0 && high == 0) return each;
  std::string count = fmt::format("{} to {} values", low, high);
  if (low == high) count = fmt::format("{} value{}", low, low == 1 ? "" : "s");
  if (high == 0) count = fmt::format("at least {} value{}", low, low == 1 ? "" : "s");
  if (low == 0) count = fmt::format("at most {} values", high);
  return each.empty() ? count : count + ", each " + each;
}

const char* meaning_of(Kind kind) {
  switch (kind) {
    case Kind::kSource:
      return "nothing in, the records of a data set out";
    case Kind::kMap:
      return "one item in, one out";
    case Kind::kExpand:
      return "one item in, several out";
    case Kind::kCollate:
      return "several samples in, one batch out";
    case Kind::kZip:
      return "one item of each input in, one out";
    case Kind::kMerge:
      return "items of several inputs in, the same items out";
    case Kind::kTake:
      return "the first items of each epoch";
    case Kind::kSink:
      return "one item in, nothing out";
  }
  return "";
}

const char* place_of(Where where) {
  switch (where) {
    case Where::kCpu:
      return "on the CPU threads";
    case Where::kBlocking:
      return "on the I/O threads";
    case Where::kDevice:
      return "on the I/O threads, for a device";
  }
  return "";
}

std::string in_cell(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, 1, '\\');
  }
  return text;
}

std::string code(const std::string& text) { return text.empty() ? "" : "`" + text + "`"; }

std::string fields_text(const char* verb,
                        const std::vector<std::pair<std::string, std::string>>& fields) {
  std::string text;
  for (const auto& [name, doc] : fields) {
    text += fmt::format("* {} {}: {}\n", verb, name == "*" ? "every field" : code(name), doc);
  }
  return text;
}

std::string params_table(const Schema& schema) {
  const std::vector<Param> params = all_params(schema);
  if (params.empty()) return "It takes no parameters.\n\n";
  std::string text =
      "| parameter | type | default | range | unit | meaning |\n|---|---|---|---|---|---|\n";
  for (const Param& param : params) {
    const ParamWords words = words_of(param);
    const bool value = !param.required && !words.default_value.empty();
    text += "|";
    for (const std::string& cell :
         {code(words.name), words.type, value ? code(words.default_value) : words.default_value,
          words.range, words.unit, words.doc}) {
      text += " " + in_cell(cell) + (cell.empty() ? "|" : " |");
    }
    text += "\n";
  }
  return text + "\n";
}

}  // namespace

ParamWords words_of(const Param& param) {
  ParamWords words;
  words.name = param.name;
  words.type = name_of(param.type);
  if (param.type == ParamType::kChoice) {
    words.type = fmt::format("one of {}", fmt::join(param.choices, ", "));
  }
  words.default_value =
      param.required ? "required" : std::visit(ValueText{param.type}, param.default_value);
  words.range = range_of(param);
  words.unit = param.unit;
  words.doc = param.doc;
  if (!param.deprecated.empty()) words.doc += " Deprecated; use " + param.deprecated + ".";
  return words;
}

std::vector<Param> all_params(const Schema& schema) {
  std::vector<Param> params = schema.params();
  for (Param& param : engine_params(schema.kind())) params.push_back(std::move(param));
  return params;
}

std::string traits_of(const Schema& schema) {
  std::string text = fmt::format("{}: {}{}; {}", name_of(schema.kind()), meaning_of(schema.kind()),
                                 schema.may_drop() ? " or none" : "", place_of(schema.where()));
  if (schema.state() == State::kPerSlot) text += ", with an object for each slot";
  if (schema.state() == State::kSerial) text += ", in one slot, with state";
  if (schema.is_random()) text += "; draws random numbers";
  if (schema.is_order_sensitive()) text += "; depends on the order of its input";
  return text;
}

std::string format_markdown(const Schema& schema) {
  std::string text = fmt::format("## {}\n\n{}\n\n{}. Since {}.\n\n", schema.name(), schema.doc(),
                                 traits_of(schema), schema.since());
  text += params_table(schema);
  const std::string fields = fields_text("reads", schema.reads()) +
                             fields_text("writes", schema.writes()) +
                             fields_text("counts", schema.tallies());
  if (!fields.empty()) text += fields + "\n";
  if (!schema.example().empty()) text += "```yaml\n- " + schema.example() + "\n```\n\n";
  return text;
}

std::string operators_page(const std::vector<Schema>& schemas) {
  std::string text =
      "# Operators\n\n"
      "Made from the operators' own declarations by `penstock describe --all --format "
      "markdown`.\n\n"
      "| operator | kind | what it does |\n|---|---|---|\n";
  for (const Schema& schema : schemas) {
    const std::string first = schema.doc().substr(0, schema.doc().find(". "));
    text += fmt::format("| [{0}](#{0}) | {1} | {2}{3} |\n", schema.name(), name_of(schema.kind()),
                        in_cell(first), first.ends_with('.') ? "" : ".");
  }
  text += "\n";
  for (const Schema& schema : schemas) text += format_markdown(schema);
  text.pop_back();  // sections end with an empty line, a file does not
  return text;
}

}  // namespace penstock
