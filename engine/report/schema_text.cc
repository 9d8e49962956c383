#include "report/schema_text.h"

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "penstock/schema.h"
#include "report/or_null.h"
#include "report/schema_doc.h"
#include "report/words.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kLineWidth = 99;

struct ValueJson {
  Json operator()(std::monostate) const { return nullptr; }
  template <typename T>
  Json operator()(const T& value) const {
    return Json(value);
  }
};

/// The text broken into lines of at most `width` columns.
std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines{""};
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!lines.back().empty() && width_of(lines.back()) + 1 + width_of(word) > width) {
      lines.emplace_back();
    }
    if (!lines.back().empty()) lines.back() += " ";
    lines.back() += word;
    begin = end + 1;
  }
  return lines;
}

std::string indented(const std::string& text, size_t indent) {
  std::string result;
  for (const std::string& line : wrapped(text, kLineWidth - indent)) {
    result += std::string(indent, ' ') + line + "\n";
  }
  return result;
}

std::string first_sentence(const std::string& text) {
  const size_t end = text.find(". ");
  return end == std::string::npos ? text : text.substr(0, end + 1);
}

/// "float, default 0.5, 0 to 1, pixels".
std::string facts_of(const Param& param) {
  const ParamWords words = words_of(param);
  std::string text = words.type;
  if (param.required) {
    text += ", required";
  } else {
    text += words.default_value.empty() ? ", optional" : ", default " + words.default_value;
  }
  if (!words.unit.empty()) text += ", in " + words.unit;
  if (!words.range.empty()) text += ", " + words.range;
  return text;
}

std::string fields_text(const std::string& title,
                        const std::vector<std::pair<std::string, std::string>>& fields) {
  if (fields.empty()) return "";
  std::string text = "\n" + title + "\n";
  size_t width = 0;
  for (const auto& [name, doc] : fields) width = std::max(width, width_of(name));
  for (const auto& [name, doc] : fields) {
    const std::string padded = name + std::string(width - width_of(name), ' ');
    std::string lines = indented(doc, width + 4);
    text += "  " + padded + lines.substr(2 + width);
  }
  return text;
}

Json fields_json(const std::vector<std::pair<std::string, std::string>>& fields) {
  Json json = Json::object();
  for (const auto& [name, doc] : fields) json[name] = doc;
  return json;
}

Json json_of(const Param& param) {
  return {{"name", param.name},
          {"type", name_of(param.type)},
          {"required", param.required},
          {"default", std::visit(ValueJson{}, param.default_value)},
          {"unit", param.unit},
          {"low", or_null(param.low)},
          {"high", or_null(param.high)},
          {"choices", param.choices},
          {"min_items", param.min_items},
          {"max_items", param.max_items},
          {"deprecated", param.deprecated},
          {"doc", param.doc}};
}

Json json_of(const Registry::Entry& entry) {
  const Schema& schema = entry.def.schema;
  Json params = Json::array();
  for (const Param& param : all_params(schema)) params.push_back(json_of(param));
  return {{"name", schema.name()},
          {"kind", name_of(schema.kind())},
          {"where", name_of(schema.where())},
          {"state", name_of(schema.state())},
          {"random", schema.is_random()},
          {"order_sensitive", schema.is_order_sensitive()},
          {"doc", schema.doc()},
          {"origin", entry.origin},
          {"since", schema.since()},
          {"params", std::move(params)},
          {"reads", fields_json(schema.reads())},
          {"writes", fields_json(schema.writes())},
          {"tallies", fields_json(schema.tallies())},
          {"example", schema.example()}};
}

/// One line an operator: its name, kind, place, and the first sentence about it.
std::string table_of(const Registry& registry, const std::vector<std::string>& names) {
  using enum Table::Align;
  Table heads({kLeft, kLeft, kLeft});
  for (const std::string& name : names) {
    const Schema& schema = registry.find(name)->def.schema;
    heads.row({name, std::string(name_of(schema.kind())), std::string(name_of(schema.where()))});
  }
  const size_t left = kLineWidth - std::min(kLineWidth - 20, heads.width() + 2);
  Table table({kLeft, kLeft, kLeft, kLeft});
  for (const std::string& name : names) {
    const Schema& schema = registry.find(name)->def.schema;
    table.row({name, std::string(name_of(schema.kind())), std::string(name_of(schema.where())),
               fit(first_sentence(schema.doc()), left)});
  }
  return table.text();
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string format_operators_text(const Registry& registry) {
  std::map<std::string, std::vector<std::string>> by_origin;
  for (const std::string& name : registry.names()) {
    by_origin[registry.find(name)->origin].push_back(name);
  }
  std::string text;
  for (const auto& [origin, names] : by_origin) {
    text += (text.empty() ? "" : "\n") + ("from " + origin + "\n") + table_of(registry, names);
  }
  return text;
}

std::string format_operators_json(const Registry& registry) {
  Json list = Json::array();
  for (const std::string& name : registry.names()) list.push_back(json_of(*registry.find(name)));
  return dumped({{"operators", std::move(list)}});
}

std::string format_operator_text(const Registry::Entry& entry) {
  const Schema& schema = entry.def.schema;
  std::string text = fmt::format("{}: {}\n", schema.name(), traits_of(schema));
  text += indented(schema.doc(), 2);
  text += indented(fmt::format("From {}, since {}.", entry.origin, schema.since()), 2);
  const std::vector<Param> params = all_params(schema);
  if (!params.empty()) text += "\nparameters\n";
  for (const Param& param : params) {
    text += fmt::format("  {}: {}\n", param.name, facts_of(param));
    text += indented(words_of(param).doc, 6);
  }
  text += fields_text("reads", schema.reads());
  text += fields_text("writes", schema.writes());
  text += fields_text("counts", schema.tallies());
  if (!schema.example().empty()) text += "\nexample\n  - " + schema.example() + "\n";
  return text;
}

std::string format_operators_markdown(const Registry& registry) {
  std::vector<Schema> schemas;
  for (const std::string& name : registry.names()) {
    schemas.push_back(registry.find(name)->def.schema);
  }
  return operators_page(schemas);
}

std::string format_operator_json(const Registry::Entry& entry) { return dumped(json_of(entry)); }

}  // namespace penstock
