#include "conform/schema_check.h"

#include <algorithm>
#include <set>

namespace penstock::conform {
namespace {

bool is_number(ParamType type) {
  return type == ParamType::kInt || type == ParamType::kFloat || type == ParamType::kIntList ||
         type == ParamType::kFloatList;
}

/// The numbers of a default value.
std::vector<double> numbers_of(const ParamValue& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) return {static_cast<double>(*number)};
  if (const auto* number = std::get_if<double>(&value)) return {*number};
  if (const auto* list = std::get_if<std::vector<double>>(&value)) return *list;
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    return {list->begin(), list->end()};
  }
  return {};
}

void check_param(const Param& param, std::vector<std::string>* faults) {
  const std::string start = "parameter '" + param.name + "' ";
  if (is_number(param.type) && !param.low && !param.high && param.unit.empty()) {
    faults->push_back(start + "is a number without a unit and without a range");
  }
  for (const double value : numbers_of(param.default_value)) {
    const bool inside = !(param.low && value < *param.low) && !(param.high && value > *param.high);
    if (!inside) faults->push_back(start + "has a default outside of its own range");
  }
  if (param.low && param.high && !(*param.low <= *param.high)) {
    faults->push_back(start + "has a range without a value");
  }
  if (std::set<std::string>(param.choices.begin(), param.choices.end()).size() !=
      param.choices.size()) {
    faults->push_back(start + "has a choice twice");
  }
  const auto* choice = std::get_if<std::string>(&param.default_value);
  if (param.type == ParamType::kChoice && choice != nullptr &&
      std::find(param.choices.begin(), param.choices.end(), *choice) == param.choices.end()) {
    faults->push_back(start + "has a default that is none of its choices");
  }
}

void check_words(const std::vector<std::pair<std::string, std::string>>& fields,
                 const std::string& verb, std::vector<std::string>* faults) {
  for (const auto& [name, doc] : fields) {
    if (!doc.empty()) continue;
    std::string& fault = faults->emplace_back("it ");
    fault.append(verb).append(" the field '").append(name).append("' and says nothing of it: ");
    fault.append(verb).append("()");
  }
}

bool is_documented(const Schema& schema, const std::string& field, const PlanNode& node) {
  for (const auto& [name, doc] : schema.writes()) {
    if (name == "*" || name == field) return true;
  }
  // A field may bear the name that a parameter gives it; its words then stand under the default.
  for (const auto& [name, value] : node.params.all()) {
    const auto* text = std::get_if<std::string>(&value);
    const auto* texts = std::get_if<std::vector<std::string>>(&value);
    const bool named = (text != nullptr && *text == field) ||
                       (texts != nullptr && std::count(texts->begin(), texts->end(), field) > 0);
    if (named && !schema.writes().empty()) return true;
  }
  return false;
}

bool same(const FieldInfo& a, const FieldInfo& b) {
  return a.name == b.name && a.is_text == b.is_text && a.dtype == b.dtype && a.shape == b.shape &&
         a.layout == b.layout;
}

void check_fields(const Schema& schema, const PlanNode& node,
                  const std::vector<std::string>& written, std::vector<std::string>* faults) {
  for (int i = 0; i < node.fields.size(); ++i) {
    const FieldInfo& field = node.fields.at(i);
    if (field.name.empty()) continue;
    const bool stays = i < node.input_fields.size() && same(node.input_fields.at(i), field) &&
                       std::count(written.begin(), written.end(), field.name) == 0;
    if (stays) continue;
    if (!is_documented(schema, field.name, node)) {
      faults->push_back("it makes the field '" + field.name + "' and says nothing of it: writes()");
    }
  }
}

}  // namespace

std::vector<std::string> faults_of(const Schema& schema, const PlanNode* node,
                                   const std::vector<std::string>& written) {
  std::vector<std::string> faults;
  if (schema.example().empty()) faults.emplace_back("it has no example: example()");
  if (schema.since().empty()) faults.emplace_back("it does not say since which version: since()");
  for (const Param& param : schema.params()) check_param(param, &faults);
  check_words(schema.reads(), "reads", &faults);
  check_words(schema.writes(), "writes", &faults);
  if (node != nullptr && schema.kind() != Kind::kZip && schema.kind() != Kind::kMerge) {
    check_fields(schema, *node, written, &faults);
  }
  return faults;
}

}  // namespace penstock::conform
