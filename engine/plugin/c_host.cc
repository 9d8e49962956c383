#include "plugin/c_host.h"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/dlpack_view.h"

namespace penstock {
namespace {

constexpr DLDataType kUnknownType = {0, 0, 0};
constexpr DLDataType kTextType = {0, 1, 0};

/// Nothing is thrown into a library: the first exception waits until its function has returned.
template <typename Where, typename Result, typename Body>
Result guarded(Where* where, Result otherwise, Body body) {
  try {
    return body();
  } catch (...) {
    if (where->cause == nullptr) where->cause = std::current_exception();
    return otherwise;
  }
}

std::string text_or(const char* text, const char* otherwise) {
  return text == nullptr ? otherwise : text;
}

// ---- parameters and fields ----

const ParamValue& value_of(const PenstockSetup& setup, const char* name) {
  for (const auto& [known, value] : setup.params->all()) {
    if (known == name) return value;
  }
  throw std::logic_error("the operator asks for a parameter '" + text_or(name, "") +
                         "' that it does not declare");
}

template <typename T>
const T& as(const ParamValue& value, const char* name) {
  if (const T* known = std::get_if<T>(&value)) return *known;
  throw std::logic_error(
      "the operator asks for its parameter '" + text_or(name, "") +
      "', which has no value (has() tells), as one of another type than its own");
}

int has(PenstockSetup* setup, const char* name) {
  return guarded(setup, 0, [&] {
    return std::holds_alternative<std::monostate>(value_of(*setup, name)) ? 0 : 1;
  });
}

int64_t integer(PenstockSetup* setup, const char* name) {
  return guarded(setup, int64_t{0}, [&] {
    const ParamValue& value = value_of(*setup, name);
    if (const bool* flag = std::get_if<bool>(&value)) return static_cast<int64_t>(*flag);
    return as<int64_t>(value, name);
  });
}

double number(PenstockSetup* setup, const char* name) {
  return guarded(setup, 0.0, [&] {
    const ParamValue& value = value_of(*setup, name);
    if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
    return as<double>(value, name);
  });
}

const char* text(PenstockSetup* setup, const char* name) {
  return guarded(setup, "", [&] { return as<std::string>(value_of(*setup, name), name).c_str(); });
}

size_t list_size(PenstockSetup* setup, const char* name) {
  return guarded(setup, size_t{0}, [&]() -> size_t {
    const ParamValue& value = value_of(*setup, name);
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) return list->size();
    if (const auto* list = std::get_if<std::vector<double>>(&value)) return list->size();
    return as<std::vector<std::string>>(value, name).size();
  });
}

template <typename Element>
const Element& element(const std::vector<Element>& list, size_t i, const char* name) {
  if (i < list.size()) return list[i];
  throw std::out_of_range("the operator asks for element " + std::to_string(i) +
                          " of its parameter '" + text_or(name, "") + "', which has " +
                          std::to_string(list.size()));
}

double list_number(PenstockSetup* setup, const char* name, size_t i) {
  return guarded(setup, 0.0, [&] {
    const ParamValue& value = value_of(*setup, name);
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
      return static_cast<double>(element(*list, i, name));
    }
    return element(as<std::vector<double>>(value, name), i, name);
  });
}

const char* list_text(PenstockSetup* setup, const char* name, size_t i) {
  return guarded(setup, "", [&] {
    return element(as<std::vector<std::string>>(value_of(*setup, name), name), i, name).c_str();
  });
}

FieldTable& fields_of(PenstockSetup* setup) {
  if (setup->fields == nullptr) throw std::logic_error("fields are known in describe() only");
  return *setup->fields;
}

int32_t require(PenstockSetup* setup, const char* field, const char* param) {
  return guarded(setup, -1,
                 [&] { return fields_of(setup).require(text_or(field, ""), text_or(param, "")); });
}

int field_info(PenstockSetup* setup, int32_t field, DLDataType* type, int32_t* ndim,
               int64_t shape[6]) {
  return guarded(setup, -1, [&] {
    const FieldInfo& info = fields_of(setup).at(field);
    *type = info.dtype ? dlpack_type(*info.dtype) : kUnknownType;
    if (info.is_text) *type = kTextType;
    *ndim = info.shape ? static_cast<int32_t>(info.shape->size()) : -1;
    if (info.shape)
      std::copy_n(info.shape->begin(), std::min<size_t>(6, info.shape->size()), shape);
    return 0;
  });
}

/// `same`: what PENSTOCK_SAME_LAYOUT means.
Layout layout_of(int32_t layout, Layout same) {
  switch (layout) {
    case PENSTOCK_NO_LAYOUT:
      return Layout::kNone;
    case PENSTOCK_HWC:
      return Layout::kHWC;
    case PENSTOCK_CHW:
      return Layout::kCHW;
    case PENSTOCK_SAME_LAYOUT:
      return same;
    default:
      throw std::invalid_argument("a layout has the number 0 to 3, not " + std::to_string(layout));
  }
}

/// Of the field as it is declared so far.
Layout layout_before(const FieldTable& fields, const std::string& name) {
  const int field = fields.find(name);
  return field < 0 ? Layout::kNone : fields.at(field).layout;
}

/// Of the field in the first input.
Layout layout_of_input(const Context& context, int32_t field) {
  if (context.count() == 0 || field < 0) return Layout::kNone;
  const auto& fields = context.in(0).fields;
  if (static_cast<size_t>(field) >= fields.size()) return Layout::kNone;
  const auto* tensor = std::get_if<Tensor>(&fields[static_cast<size_t>(field)]);
  return tensor == nullptr ? Layout::kNone : tensor->layout();
}

std::span<const int64_t> sizes_of(int32_t ndim, const int64_t* shape) {
  if (ndim < 0 || ndim > Tensor::kMaxDims || (ndim > 0 && shape == nullptr)) {
    throw std::invalid_argument("a tensor has 0 to " + std::to_string(Tensor::kMaxDims) +
                                " dimensions");
  }
  return {shape, static_cast<size_t>(ndim)};
}

DType known_type(DLDataType type) {
  const auto dtype = dtype_of(type);
  if (!dtype) throw std::invalid_argument("the element type is none of Penstock's");
  return *dtype;
}

int32_t add(PenstockSetup* setup, const char* field, DLDataType type, int32_t ndim,
            const int64_t* shape, int32_t layout) {
  return guarded(setup, -1, [&] {
    FieldInfo info{.name = text_or(field, "")};
    if (type.lanes == 0) {
      info.is_text = type.bits == 1;
    } else {
      info.dtype = known_type(type);
    }
    if (ndim >= 0 && !info.is_text) {
      const auto sizes = sizes_of(ndim, shape);
      info.shape = std::vector<int64_t>(sizes.begin(), sizes.end());
    }
    info.layout = layout_of(layout, layout_before(fields_of(setup), info.name));
    return fields_of(setup).add(std::move(info));
  });
}

int remove_field(PenstockSetup* setup, int32_t field) {
  return guarded(setup, -1, [&] {
    fields_of(setup).remove(field);
    return 0;
  });
}

int refuse(PenstockSetup* setup, const char* param, const char* message) {
  return guarded(setup, -1, [&]() -> int {
    throw ParamError(text_or(param, ""), text_or(message, "it cannot work"));
  });
}

// ---- firings ----

size_t count(PenstockFiring* firing) { return firing->context->count(); }
uint64_t index_of(PenstockFiring* firing) { return firing->context->origin().index; }
uint64_t position(PenstockFiring* firing) { return firing->context->origin().position; }

void check_input(const PenstockFiring& firing, size_t item) {
  if (item >= firing.context->count()) throw std::out_of_range("there is no such input");
}

int input(PenstockFiring* firing, int32_t field, size_t item, DLTensor* view) {
  return guarded(firing, -1, [&] {
    check_input(*firing, item);
    *view = dlpack_view(firing->context->tensor(field, item));
    return 0;
  });
}

int output(PenstockFiring* firing, int32_t field, DLDataType type, int32_t ndim,
           const int64_t* shape, int32_t layout, DLTensor* view) {
  return guarded(firing, -1, [&] {
    Context& context = *firing->context;
    const Layout known = layout_of(layout, layout_of_input(context, field));
    *view = dlpack_view(context.output(field, sizes_of(ndim, shape), known_type(type), known));
    return 0;
  });
}

const char* input_text(PenstockFiring* firing, int32_t field, size_t item, size_t* bytes) {
  *bytes = 0;
  return guarded(firing, "", [&] {
    check_input(*firing, item);
    const std::string& known = firing->context->text(field, item);
    *bytes = known.size();
    return known.c_str();
  });
}

int output_text(PenstockFiring* firing, int32_t field, const char* chars, size_t bytes) {
  return guarded(firing, -1, [&] {
    if (chars == nullptr && bytes > 0) throw std::invalid_argument("the text is null");
    firing->context->set(field, bytes == 0 ? std::string() : std::string(chars, bytes));
    return 0;
  });
}

uint64_t random_bits(PenstockFiring* firing) { return firing->context->rng().next_u64(); }
void drop(PenstockFiring* firing) { firing->context->drop(); }
int cancelled(PenstockFiring* firing) { return firing->context->cancelled() ? 1 : 0; }

int fail(PenstockFiring* firing, const char* message) {
  return guarded(firing, -1, [&]() -> int {
    throw std::runtime_error(text_or(message, "the operator gives no reason"));
  });
}

int fail_of_machine(PenstockFiring* firing, const char* message) {
  return guarded(firing, -1, [&]() -> int {
    throw MachineError(text_or(message, "the operator gives no reason"));
  });
}

int tally(PenstockFiring* firing, size_t which, uint64_t by) {
  return guarded(firing, -1, [&] {
    firing->context->tally(which, by);
    return 0;
  });
}

}  // namespace

const PenstockHost& c_host() {
  static constexpr PenstockHost kHost = {
      .struct_size = sizeof(PenstockHost),
      .has = has,
      .integer = integer,
      .number = number,
      .text = text,
      .list_size = list_size,
      .list_number = list_number,
      .list_text = list_text,
      .require = require,
      .field = field_info,
      .add = add,
      .remove = remove_field,
      .refuse = refuse,
      .count = count,
      .index = index_of,
      .position = position,
      .input = input,
      .output = output,
      .input_text = input_text,
      .output_text = output_text,
      .random = random_bits,
      .drop = drop,
      .cancelled = cancelled,
      .fail = fail,
      .fail_of_machine = fail_of_machine,
      .tally = tally,
  };
  return kHost;
}

}  // namespace penstock
