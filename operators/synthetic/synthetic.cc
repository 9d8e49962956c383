#include <cstring>

#include "builtin.h"

namespace penstock::operators {
namespace {

/// A Weyl sequence: one addition a word, every word different, all bits of a record decided by its
/// number. Not random in any stronger sense.
class Pattern {
 public:
  explicit Pattern(uint64_t record) : word_(mix64(record, 0x73796e7468ULL)) {}
  uint64_t next() { return word_ += 0x9e3779b97f4a7c15ULL; }

 private:
  uint64_t word_;
};

void fill_bytes(Pattern pattern, uint8_t* out, size_t bytes) {
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
    const uint64_t word = pattern.next();
    std::memcpy(out + i, &word, sizeof(word));
  }
  const uint64_t word = pattern.next();
  std::memcpy(out + i, &word, bytes - i);
}

template <typename T>
void fill_unit(Pattern pattern, T* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    out[i] = static_cast<T>(static_cast<float>(pattern.next() >> 40) * 0x1p-24F);
  }
}

/// Half floats: multiples of 1/1024 in [0, 1), put together from sign, exponent and mantissa.
void fill_half(Pattern pattern, uint16_t* out, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const auto bits = static_cast<uint32_t>(pattern.next() >> 54);
    uint32_t exponent = 14;  // of [0.5, 1)
    uint32_t mantissa = bits << 1;
    while (mantissa != 0 && (mantissa & 0x400U) == 0) mantissa <<= 1, --exponent;
    out[i] = static_cast<uint16_t>(mantissa == 0 ? 0 : exponent << 10 | (mantissa & 0x3ffU));
  }
}

void fill(Tensor& tensor, uint64_t record) {
  const Pattern pattern(record);
  switch (tensor.dtype()) {
    case DType::kFloat16:
      return fill_half(pattern, tensor.mutable_data_as<uint16_t>(), tensor.numel());
    case DType::kFloat32:
      return fill_unit(pattern, tensor.mutable_data_as<float>(), tensor.numel());
    case DType::kFloat64:
      return fill_unit(pattern, tensor.mutable_data_as<double>(), tensor.numel());
    default:
      fill_bytes(pattern, tensor.mutable_data_as<uint8_t>(), tensor.nbytes());
  }
  if (tensor.dtype() == DType::kBool) {
    auto* bytes = tensor.mutable_data_as<uint8_t>();
    for (size_t i = 0; i < tensor.nbytes(); ++i) bytes[i] &= 1;
  }
}

Layout layout_from(const std::string& name) {
  if (name == "HWC") return Layout::kHWC;
  return name == "CHW" ? Layout::kCHW : Layout::kNone;
}

class Synthetic : public Source {
 public:
  explicit Synthetic(const Params& params)
      : items_(params.integers("items")),
        shape_(params.integers("shape")),
        layout_(layout_from(params.text("layout"))),
        field_(params.text("field")) {
    dtype_from_name(params.text("dtype"), &dtype_);
    if (layout_ != Layout::kNone && shape_.size() != 3) {
      throw ParamError(
          "layout", "a picture has 3 dimensions and 'shape' has " + std::to_string(shape_.size()));
    }
    if (field_ == "label") throw ParamError("field", "'label' is the record's number");
  }

  uint64_t size(uint32_t epoch) const override {
    return static_cast<uint64_t>(items_[epoch % items_.size()]);
  }

  void infer(FieldTable& fields) override {
    data_ = fields.add({.name = field_, .dtype = dtype_, .shape = shape_, .layout = layout_});
    label_ = fields.add({.name = "label", .dtype = DType::kInt64, .shape = std::vector<int64_t>{}});
  }

  void process(Context& ctx) override {
    const uint64_t record = ctx.origin().index;
    fill(ctx.output(data_, shape_, dtype_, layout_), record);
    *ctx.output(label_, {}, DType::kInt64).mutable_data_as<int64_t>() =
        static_cast<int64_t>(record);
  }

 private:
  std::vector<int64_t> items_, shape_;
  DType dtype_ = DType::kUInt8;
  Layout layout_;
  std::string field_;
  int data_ = -1, label_ = -1;
};

}  // namespace

OperatorDef make_synthetic() {
  Schema schema("synthetic", Kind::kSource,
                "Makes records without reading anything, for tests and measurements: a tensor "
                "whose elements depend on the record's number only (floats in [0, 1)), and a "
                "label, which is that number.");
  schema
      .param({.name = "items",
              .type = ParamType::kIntList,
              .doc = "Records in an epoch; of a list, entry e is for epoch e, and behind its end "
                     "the list starts again.",
              .default_value = std::vector<int64_t>{1000},
              .unit = "records",
              .low = 0,
              .min_items = 1})
      .param({.name = "shape",
              .type = ParamType::kIntList,
              .doc = "Sizes of the tensor.",
              .default_value = std::vector<int64_t>{224, 224, 3},
              .unit = "elements",
              .low = 0,
              .max_items = Tensor::kMaxDims - 1})
      .param({.name = "dtype",
              .type = ParamType::kDType,
              .doc = "Element type of the tensor.",
              .default_value = std::string("uint8")})
      .param({.name = "layout",
              .type = ParamType::kChoice,
              .doc = "What the three dimensions of a picture mean.",
              .default_value = std::string("none"),
              .choices = {"none", "HWC", "CHW"}})
      .param({.name = "field",
              .type = ParamType::kString,
              .doc = "Name of the tensor's field.",
              .default_value = std::string("x")})
      .writes("x", "the tensor, under the name that `field` gives")
      .writes("label", "int64, 0-d: the record's number")
      .example("{op: synthetic, params: {items: 1000, shape: [3, 224, 224], dtype: float32}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<Synthetic>(params); }};
}

}  // namespace penstock::operators
