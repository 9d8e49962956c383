#include "report/declared.h"

#include <algorithm>
#include <span>

namespace penstock {
namespace {

bool fits(const std::vector<int64_t>& declared, std::span<const int64_t> actual) {
  return std::equal(declared.begin(), declared.end(), actual.begin(), actual.end(),
                    [](int64_t known, int64_t size) { return known < 0 || known == size; });
}

/// "[3, ?, ?]".
std::string declared_shape(const std::vector<int64_t>& shape) {
  std::string text;
  for (const int64_t size : shape) {
    text += (text.empty() ? "" : ", ") + (size < 0 ? "?" : std::to_string(size));
  }
  return "[" + text + "]";
}

/// Why the field is not what infer() said, or "".
std::string untrue(const FieldInfo& declared, const Field& field) {
  const std::string start = "field '" + declared.name + "' is declared ";
  const auto* tensor = std::get_if<Tensor>(&field);
  if (declared.is_text) {
    return tensor == nullptr ? "" : start + "a text and is " + tensor->describe();
  }
  if (tensor == nullptr) return start + "a tensor and is a text";
  if (!tensor->defined()) return start + "and was not written";
  const std::string end = " and is " + tensor->describe();
  if (declared.dtype && *declared.dtype != tensor->dtype()) {
    return start + std::string(name_of(*declared.dtype)) + end;
  }
  if (declared.shape && !fits(*declared.shape, tensor->shape())) {
    return start + "of shape " + declared_shape(*declared.shape) + end;
  }
  if (declared.layout != Layout::kNone && declared.layout != tensor->layout()) {
    return start + std::string(name_of(declared.layout)) + end;
  }
  return "";
}

}  // namespace

void add_untrue(const FieldTable& declared, const Item& item, std::vector<std::string>* faults) {
  for (int i = 0; i < declared.size(); ++i) {
    const FieldInfo& info = declared.at(i);
    if (info.name.empty() || static_cast<size_t>(i) >= item.fields.size()) continue;
    const std::string fault = untrue(info, item.fields[static_cast<size_t>(i)]);
    if (fault.empty() || std::count(faults->begin(), faults->end(), fault) > 0) continue;
    faults->push_back(fault);
  }
}

}  // namespace penstock
