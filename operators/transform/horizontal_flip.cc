#include "builtin.h"
#include "kernels/crop.h"
#include "transform/picture.h"

namespace penstock::operators {
namespace {

class HorizontalFlip : public Operator {
 public:
  explicit HorizontalFlip(const Params& params)
      : fields_(picture_fields(params)),
        probability_(params.number("probability")),
        flag_(params.text("flag")) {}

  void infer(FieldTable& fields) override {
    resolve_fields(fields_, fields);
    if (flag_.empty()) return;
    if (fields.find(flag_) >= 0)
      throw ParamError("flag", "there is a field '" + flag_ + "' already");
    flag_field_ =
        fields.add({.name = flag_, .dtype = DType::kBool, .shape = std::vector<int64_t>{}});
  }

  void process(Context& ctx) override {
    const bool flips = ctx.rng().bernoulli(probability_);
    if (!flag_.empty()) {
      *ctx.output(flag_field_, {}, DType::kBool).mutable_data_as<bool>() = flips;
      return;
    }
    if (!flips) return;
    for (const PictureField& field : fields_) flip(ctx, field);
  }

 private:
  static void flip(Context& ctx, const PictureField& field) {
    const Tensor& from = ctx.tensor(field.index);
    const PictureShape shape = picture_shape(from, field.name);
    const size_t pixel =
        size_of(from.dtype()) * static_cast<size_t>(shape.planar ? 1 : shape.channels);
    const int64_t rows = shape.planar ? shape.channels * shape.height : shape.height;
    const auto stride = static_cast<std::ptrdiff_t>(pixel) * shape.width;
    Tensor& to = ctx.output(field.index, from.shape(), from.dtype(), from.layout());
    kernels::flip_rows(from.data_as<uint8_t>(), stride, static_cast<size_t>(rows),
                       static_cast<size_t>(shape.width), pixel, to.mutable_data_as<uint8_t>(),
                       stride);
  }

  std::vector<PictureField> fields_;
  double probability_;
  std::string flag_;
  int flag_field_ = -1;
};

}  // namespace

OperatorDef make_horizontal_flip() {
  Schema schema("horizontal_flip", Kind::kMap,
                "Mirrors pictures left and right by chance, of any element type and layout. One "
                "draw for all fields of a sample.");
  schema.random()
      .param({.name = "probability",
              .type = ParamType::kFloat,
              .doc = "Part of the samples that are mirrored.",
              .default_value = 0.5,
              .low = 0,
              .high = 1})
      .param({.name = "flag",
              .type = ParamType::kString,
              .doc = "Name of a new bool field that says whether the sample is to be mirrored; the "
                     "pictures stay as they are, for device_copy to mirror. Empty: they are "
                     "mirrored here.",
              .default_value = std::string()});
  add_fields(schema, false)
      .reads("image", "picture, HWC or CHW")
      .writes("image", "the same, mirrored or not")
      .example("{op: horizontal_flip, params: {fields: [image, mask]}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<HorizontalFlip>(params); }};
}

}  // namespace penstock::operators
