#include "penstock/operator.h"

namespace penstock {
namespace {

/// The element at an operator's index of a field.
template <typename Fields>
auto& field_at(Fields& fields, int index) {
  if (index >= 0 && static_cast<size_t>(index) < fields.size()) {
    return fields[static_cast<size_t>(index)];
  }
  throw std::out_of_range("there is no field with the index " + std::to_string(index));
}

}  // namespace

int FieldTable::require(std::string_view name, std::string_view param) const {
  const int index = find(name);
  if (index >= 0) return index;
  const std::string there = names();
  throw ParamError(std::string(param), "there is no field '" + std::string(name) + "' here",
                   there.empty() ? "no field arrives here" : "the fields are: " + there);
}

int FieldTable::find(std::string_view name) const {
  if (name.empty()) return -1;
  for (int i = 0; i < size(); ++i) {
    if (at(i).name == name) return i;
  }
  return -1;
}

int FieldTable::add(FieldInfo field) {
  const int index = find(field.name);
  if (index >= 0) {
    at(index) = std::move(field);
    return index;
  }
  fields_.push_back(std::move(field));
  return size() - 1;
}

void FieldTable::remove(int index) { at(index) = FieldInfo{}; }

const FieldInfo& FieldTable::at(int index) const { return field_at(fields_, index); }
FieldInfo& FieldTable::at(int index) { return field_at(fields_, index); }

std::string FieldTable::names() const {
  std::string text;
  for (const FieldInfo& field : fields_) {
    if (field.name.empty()) continue;
    if (!text.empty()) text += ", ";
    text += field.name;
  }
  return text;
}

const Item& Context::in(size_t i) const {
  if (i < count_) return *inputs_[i];
  throw std::out_of_range("input " + std::to_string(i) + " was asked for, and there are " +
                          std::to_string(count_));
}

const Tensor& Context::tensor(int field, size_t i) const {
  const Tensor* tensor = std::get_if<Tensor>(&field_at(in(i).fields, field));
  if (tensor == nullptr) {
    throw std::invalid_argument("field " + std::to_string(field) + " is a text, not a tensor");
  }
  return *tensor;
}

const std::string& Context::text(int field, size_t i) const {
  const std::string* text = std::get_if<std::string>(&field_at(in(i).fields, field));
  if (text == nullptr) {
    throw std::invalid_argument("field " + std::to_string(field) + " is a tensor, not a text");
  }
  return *text;
}

Rng& Context::rng() {
  if (!rng_) rng_.emplace(seed_, *origin_, stream_);
  return *rng_;
}

}  // namespace penstock
