#include "penstock/schema.h"

#include <stdexcept>

namespace penstock {
namespace {

template <typename T>
const T& typed(const ParamValue& value, std::string_view name) {
  const T* typed_value = std::get_if<T>(&value);
  if (typed_value == nullptr) {
    throw std::logic_error("parameter '" + std::string(name) + "' has another type or no value");
  }
  return *typed_value;
}

}  // namespace

const Param* Schema::find(std::string_view name) const {
  for (const Param& param : params_) {
    if (param.name == name) return &param;
  }
  return nullptr;
}

void Params::set(std::string name, ParamValue value) {
  for (auto& [known, old] : values_) {
    if (known != name) continue;
    old = std::move(value);
    return;
  }
  values_.emplace_back(std::move(name), std::move(value));
}

bool Params::has(std::string_view name) const {
  for (const auto& [known, value] : values_) {
    if (known == name) return !std::holds_alternative<std::monostate>(value);
  }
  return false;
}

const ParamValue& Params::get(std::string_view name) const {
  for (const auto& [known, value] : values_) {
    if (known == name) return value;
  }
  throw std::logic_error("the schema has no parameter '" + std::string(name) + "'");
}

bool Params::boolean(std::string_view name) const { return typed<bool>(get(name), name); }
int64_t Params::integer(std::string_view name) const { return typed<int64_t>(get(name), name); }
double Params::number(std::string_view name) const { return typed<double>(get(name), name); }
const std::string& Params::text(std::string_view name) const {
  return typed<std::string>(get(name), name);
}
const std::vector<int64_t>& Params::integers(std::string_view name) const {
  return typed<std::vector<int64_t>>(get(name), name);
}
const std::vector<double>& Params::numbers(std::string_view name) const {
  return typed<std::vector<double>>(get(name), name);
}
const std::vector<std::string>& Params::texts(std::string_view name) const {
  return typed<std::vector<std::string>>(get(name), name);
}

}  // namespace penstock
