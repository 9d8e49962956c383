#include "plan/registry.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace penstock {
namespace {

/// YAML reads it as no text.
bool is_null_word(const std::string& text) {
  return text == "null" || text == "Null" || text == "NULL";
}

bool is_name(const std::string& text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

/// Whether operators are handed values of such a parameter in this form.
bool is_value_of(ParamType type, const ParamValue& value) {
  switch (type) {
    case ParamType::kBool:
      return std::holds_alternative<bool>(value);
    case ParamType::kInt:
    case ParamType::kDuration:
    case ParamType::kBytes:
      return std::holds_alternative<int64_t>(value);
    case ParamType::kFloat:
      return std::holds_alternative<double>(value);
    case ParamType::kIntList:
      return std::holds_alternative<std::vector<int64_t>>(value);
    case ParamType::kFloatList:
      return std::holds_alternative<std::vector<double>>(value);
    case ParamType::kStringList:
      return std::holds_alternative<std::vector<std::string>>(value);
    default:
      return std::holds_alternative<std::string>(value);
  }
}

// What is wrong with the default, or "".
std::string fault_of_default(const Param& param) {
  if (std::holds_alternative<std::monostate>(param.default_value)) return "";
  if (param.required) return " is required and has a default";
  if (is_value_of(param.type, param.default_value)) return "";
  const bool whole = std::holds_alternative<int64_t>(param.default_value);
  return " is of type " + std::string(name_of(param.type)) + " and has a default of another one" +
         (whole && param.type == ParamType::kFloat ? ": write 1.0, not 1" : "");
}

std::string missing_in_tallies(const Schema& schema) {
  if (schema.tallies().size() > kMaxTallies) {
    return "operator '" + schema.name() + "' has more than " + std::to_string(kMaxTallies) +
           " tallies";
  }
  std::set<std::string> seen;
  for (const auto& [name, doc] : schema.tallies()) {
    const std::string place = "tally '" + name + "' of '" + schema.name() + "'";
    if (!is_name(name)) return place + " has no proper name";
    if (!seen.insert(name).second) return place + " is declared twice";
    if (doc.empty()) return place + " has no documentation";
  }
  return {};
}

// What a schema must have so that every page and check made from it is complete.
std::string missing_in(const Schema& schema) {
  if (!is_name(schema.name()) || is_null_word(schema.name()))
    return "an operator has the name '" + schema.name() + "'";
  if (schema.kind() > Kind::kSink || schema.where() > Where::kDevice ||
      schema.state() > State::kSerial) {
    return "operator '" + schema.name() +
           "': its kind, place or state is one that this engine does not know";
  }
  if (schema.doc().empty()) return "operator '" + schema.name() + "' has no documentation";
  std::set<std::string> seen;
  for (const Param& param : schema.params()) {
    const std::string place = "parameter '" + param.name + "' of '" + schema.name() + "'";
    if (!is_name(param.name)) return place + " has no proper name";
    if (!seen.insert(param.name).second) return place + " is declared twice";
    if (param.doc.empty()) return place + " has no documentation";
    if (param.type > ParamType::kStringList) {
      return place + " has a type that this engine does not know";
    }
    if (param.type == ParamType::kChoice && param.choices.empty()) return place + " has no choices";
    if (const std::string fault = fault_of_default(param); !fault.empty()) return place + fault;
  }
  return missing_in_tallies(schema);
}

}  // namespace

std::string Registry::add(OperatorDef def, const std::string& origin) {
  if (std::string reason = missing_in(def.schema); !reason.empty()) return reason;
  const std::string name = def.schema.name();
  if (!def.make) return "operator '" + name + "' has no factory";
  const auto [entry, added] = entries_.try_emplace(name, Entry{std::move(def), origin});
  if (added) return {};
  return "operator '" + name + "' is already there, from " + entry->second.origin;
}

const Registry::Entry* Registry::find(const std::string& name) const {
  const auto entry = entries_.find(name);
  return entry == entries_.end() ? nullptr : &entry->second;
}

void Registry::add_library(const std::string& identity, Library library) {
  libraries_.insert_or_assign(identity, std::move(library));
}

const Registry::Library* Registry::library_with_torch() const {
  for (const auto& [identity, library] : libraries_) {
    if (!library.torch.empty()) return &library;
  }
  return nullptr;
}

const std::string* Registry::library_named(const std::string& name) const {
  for (const auto& [identity, library] : libraries_) {
    if (library.name == name) return &library.path;
  }
  return nullptr;
}

std::vector<std::string> Registry::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

}  // namespace penstock
