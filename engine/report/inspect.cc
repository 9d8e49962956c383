#include "penstock/inspect.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/shape_text.h"
#include "penstock/device.h"
#include "report/or_null.h"
#include "report/words.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kTextsShown = 3;
constexpr size_t kTextWidth = 40;

/// IEEE 754 binary16.
double half_value(uint16_t bits) {
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double value =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
  if (exponent == 31) value = fraction == 0 ? INFINITY : NAN;
  return (bits & 0x8000) != 0 ? -value : value;
}

struct Half {
  uint16_t bits;
  explicit operator double() const { return half_value(bits); }
};

/// Statistics of elements one after another.
class Values {
 public:
  void add(double value) {
    if (!std::isfinite(value)) {
      ++not_finite_;
      return;
    }
    min_ = std::min(min_, value);
    max_ = std::max(max_, value);
    sum_ += value;
    ++count_;
  }
  void write(FieldInspection* to) const {
    to->not_finite = not_finite_;
    if (count_ == 0) return;
    to->min = min_;
    to->max = max_;
    to->mean = sum_ / static_cast<double>(count_);
  }

 private:
  double min_ = std::numeric_limits<double>::infinity(), max_ = -min_, sum_ = 0;
  uint64_t count_ = 0, not_finite_ = 0;
};

template <typename T>
void add_elements(const Tensor& tensor, int dim, const T* data, Values* values) {
  if (dim == tensor.dims()) return values->add(static_cast<double>(*data));
  for (int64_t i = 0; i < tensor.size(dim); ++i) {
    add_elements(tensor, dim + 1, data + i * tensor.stride(dim), values);
  }
}

template <typename T>
Values values_of(const Tensor& tensor) {
  Values values;
  add_elements(tensor, 0, tensor.data_as<T>(), &values);
  return values;
}

Values values_of(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::kUInt8:
    case DType::kBool:
      return values_of<uint8_t>(tensor);
    case DType::kInt8:
      return values_of<int8_t>(tensor);
    case DType::kUInt16:
      return values_of<uint16_t>(tensor);
    case DType::kInt16:
      return values_of<int16_t>(tensor);
    case DType::kInt32:
      return values_of<int32_t>(tensor);
    case DType::kInt64:
      return values_of<int64_t>(tensor);
    case DType::kFloat16:
      return values_of<Half>(tensor);
    case DType::kFloat32:
      return values_of<float>(tensor);
    case DType::kFloat64:
      break;
  }
  return values_of<double>(tensor);
}

FieldInspection inspect_field(const std::string& name, const Field& field) {
  FieldInspection result;
  result.name = name;
  if (const auto* text = std::get_if<std::string>(&field)) {
    result.texts = {*text};
  } else if (const auto* texts = std::get_if<std::vector<std::string>>(&field)) {
    result.texts = *texts;
  } else {
    const Tensor& tensor = std::get<Tensor>(field);
    result.is_tensor = true;
    result.dtype = tensor.dtype();
    result.shape.assign(tensor.shape().begin(), tensor.shape().end());
    result.strides.assign(tensor.strides().begin(), tensor.strides().end());
    result.layout = tensor.layout();
    result.device = tensor.device();
    result.bytes = tensor.nbytes();
    if (tensor.defined()) values_of(on_host(tensor)).write(&result);
  }
  return result;
}

std::string place_text(const Device& device) {
  switch (device.kind) {
    case Device::Kind::kCuda:
      return fmt::format("cuda:{}", device.index);
    case Device::Kind::kSimulated:
      return "simulated";
    case Device::Kind::kCpu:
    case Device::Kind::kPinned:
      break;
  }
  return "cpu";
}

bool is_pinned(const FieldInspection& field) { return field.device.kind == Device::Kind::kPinned; }

std::string number_text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

std::string texts_text(const std::vector<std::string>& texts) {
  std::string text = count_text(texts.size(), "text", "texts") + ", not a tensor:";
  for (size_t i = 0; i < texts.size() && i < kTextsShown; ++i) {
    text += (i > 0 ? ", " : " ") + fit(texts[i], kTextWidth);
  }
  return text + (texts.size() > kTextsShown ? ", ..." : "");
}

Json json_of(const FieldInspection& field) {
  Json json = {{"name", field.name}, {"tensor", field.is_tensor}};
  if (!field.is_tensor) {
    json["texts"] = field.texts;
    return json;
  }
  json["dtype"] = name_of(field.dtype);
  json["shape"] = field.shape;
  json["strides"] = field.strides;
  json["layout"] = name_of(field.layout);
  json["device"] = place_text(field.device);
  json["pinned"] = is_pinned(field);
  json["bytes"] = field.bytes;
  json["min"] = or_null(field.min);
  json["max"] = or_null(field.max);
  json["mean"] = or_null(field.mean);
  json["not_finite"] = field.not_finite;
  return json;
}

}  // namespace

BatchInspection inspect(const Batch& batch) {
  BatchInspection result{.epoch = batch.epoch(), .examples = batch.size(), .fields = {}};
  const std::vector<Field>& fields = batch.item().fields;
  for (size_t i = 0; i < fields.size() && i < batch.names().size(); ++i) {
    if (!batch.names()[i].empty()) {
      result.fields.push_back(inspect_field(batch.names()[i], fields[i]));
    }
  }
  return result;
}

std::string format_text(const BatchInspection& batch) {
  using enum Table::Align;
  Table table({kLeft, kLeft, kLeft, kLeft, kLeft, kLeft, kRight, kRight, kRight, kRight});
  table.row(
      {"field", "type", "shape", "strides", "lies on", "pinned", "bytes", "min", "max", "mean"});
  std::string below;
  for (const FieldInspection& field : batch.fields) {
    const std::string name = fit(field.name, kTextWidth);
    if (!field.is_tensor) {
      below += fmt::format("{}: {}\n", name, texts_text(field.texts));
      continue;
    }
    std::string shape = shape_text(field.shape);
    if (field.layout != Layout::kNone) shape += fmt::format(" {}", name_of(field.layout));
    table.row({name, std::string(name_of(field.dtype)), shape, shape_text(field.strides),
               place_text(field.device), is_pinned(field) ? "yes" : "no", bytes_text(field.bytes),
               number_text(field.min), number_text(field.max), number_text(field.mean)});
    if (field.not_finite > 0) {
      below += fmt::format("{}: {} not finite\n", name,
                           count_text(field.not_finite, "element is", "elements are"));
    }
  }
  return fmt::format("epoch {}, {}\n", batch.epoch,
                     count_text(batch.examples, "example", "examples")) +
         table.text() + below;
}

std::string format_json(const std::vector<BatchInspection>& batches) {
  Json list = Json::array();
  for (const BatchInspection& batch : batches) {
    Json fields = Json::array();
    for (const FieldInspection& field : batch.fields) fields.push_back(json_of(field));
    list.push_back(
        {{"epoch", batch.epoch}, {"examples", batch.examples}, {"fields", std::move(fields)}});
  }
  const Json all = {{"batches", std::move(list)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock
