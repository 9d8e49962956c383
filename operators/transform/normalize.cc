#include "kernels/normalize.h"

#include <stdexcept>

#include "builtin.h"
#include "transform/planes.h"

namespace penstock::operators {
namespace {

kernels::Normalizer normalizer_of(const Params& params) {
  try {
    return kernels::Normalizer(params.numbers("mean"), params.numbers("std"));
  } catch (const kernels::ImageError& error) {
    throw ParamError("std", error.what(),
                     "one mean and one std for each channel, or a single one for all");
  }
}

class Normalize : public Operator {
 public:
  explicit Normalize(const Params& params)
      : fields_(picture_fields(params)),
        normalizer_(normalizer_of(params)),
        layout_(params.text("layout")) {}

  void infer(FieldTable& fields) override {
    resolve_fields(fields_, fields);
    for (const PictureField& field : fields_) {
      FieldInfo& info = fields.at(field.index);
      check_known(info);
      info = with_layout(info, layout_);
      info.dtype = DType::kFloat32;
    }
  }

  void process(Context& ctx) override {
    for (const PictureField& field : fields_) normalize(ctx, field);
  }

 private:
  void check_known(const FieldInfo& info) const {
    if (!info.shape) return;
    const int64_t channels = info.shape->at(info.layout == Layout::kCHW ? 0 : 2);
    if (channels < 0 || normalizer_.channels() == 1 || channels == normalizer_.channels()) return;
    throw ParamError("mean",
                     "field '" + info.name + "' has " + std::to_string(channels) +
                         " channels and there are " + std::to_string(normalizer_.channels()) +
                         " means",
                     "give one mean for each channel, or a single one for all");
  }

  void normalize(Context& ctx, const PictureField& field) const {
    const Tensor& from = ctx.tensor(field.index);
    const PictureShape shape = picture_shape(from, field.name);
    const bool planar = planar_output(layout_, shape.planar);
    Tensor& out = ctx.output(field.index, sizes_of(shape, planar), DType::kFloat32,
                             planar ? Layout::kCHW : Layout::kHWC);
    const auto to = planes_of(out.mutable_data_as<float>(), shape, planar);
    if (from.dtype() == DType::kUInt8) {
      normalizer_.apply(planes_of(from.data_as<uint8_t>(), shape, shape.planar), to);
    } else if (from.dtype() == DType::kFloat32) {
      normalizer_.apply(planes_of(from.data_as<float>(), shape, shape.planar), to);
    } else {
      throw std::invalid_argument("field '" + field.name + "' is " + from.describe() +
                                  "; normalize takes uint8 or float32");
    }
  }

  std::vector<PictureField> fields_;
  kernels::Normalizer normalizer_;
  std::string layout_;
};

}  // namespace

OperatorDef make_normalize() {
  Schema schema("normalize", Kind::kMap,
                "(x / 255 - mean) / std of uint8 pictures, (x - mean) / std of float32 ones, in "
                "float32 arithmetic: what torchvision's ToTensor and Normalize give.");
  schema
      .param({.name = "mean",
              .type = ParamType::kFloatList,
              .doc = "Mean of each channel, as a part of the full range; a single one counts for "
                     "all channels.",
              .required = true,
              .unit = "parts of the full range",
              .min_items = 1})
      .param({.name = "std",
              .type = ParamType::kFloatList,
              .doc = "Standard deviation of each channel, likewise; not 0.",
              .required = true,
              .unit = "parts of the full range",
              .min_items = 1})
      .param(layout_param("CHW"));
  add_fields(schema, false)
      .reads("image", "uint8 or float32 picture, HWC or CHW")
      .writes("image", "float32 picture")
      .example(
          "{op: normalize, params: {mean: [0.485, 0.456, 0.406], std: [0.229, 0.224, 0.225]}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<Normalize>(params); }};
}

}  // namespace penstock::operators
