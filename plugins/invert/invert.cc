// A pure CPU map on raw pointers: the negative of a picture.
#include <penstock/plugin.h>

#include <stdexcept>

namespace {

using namespace penstock;

/// Knows nothing of the engine, so that it can be tested and measured alone.
void invert(const uint8_t* in, uint8_t* out, size_t count) {
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<uint8_t>(255 - in[i]);
}

class Invert : public Operator {
 public:
  explicit Invert(const Params& params) : name_(params.text("field")) {}

  void infer(FieldTable& fields) override {
    field_ = fields.require(name_, "field");
    const FieldInfo& info = fields.at(field_);
    if (info.is_text || info.dtype.value_or(DType::kUInt8) != DType::kUInt8) {
      throw ParamError("field", "'" + name_ + "' is no uint8 tensor");
    }
  }

  void process(Context& ctx) override {
    const Tensor& in = ctx.tensor(field_);
    if (in.dtype() != DType::kUInt8 || !in.contiguous()) {
      throw std::invalid_argument("a dense uint8 tensor is needed, not " + in.describe());
    }
    Tensor& out = ctx.output(field_, in.shape(), DType::kUInt8, in.layout());
    invert(in.data_as<uint8_t>(), out.mutable_data_as<uint8_t>(), in.nbytes());
  }

 private:
  std::string name_;
  int field_ = -1;
};

void register_operators(OperatorSink& sink) {
  Schema schema("invert", Kind::kMap, "Makes the negative of a picture: 255 minus each value.");
  schema
      .param({.name = "field",
              .type = ParamType::kString,
              .doc = "The picture's field.",
              .default_value = std::string("image")})
      .reads("image", "uint8 picture, or any uint8 tensor")
      .writes("image", "uint8 of the same shape and layout")
      .example("{op: invert}");
  sink.add({schema, [](const Params& params) { return std::make_unique<Invert>(params); }});
}

}  // namespace

PENSTOCK_PLUGIN("invert", "1.0.0", "the Penstock authors", "Apache-2.0", register_operators)
