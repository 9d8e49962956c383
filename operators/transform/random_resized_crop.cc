#include <stdexcept>

#include "builtin.h"
#include "kernels/crop.h"
#include "transform/picture.h"

namespace penstock::operators {
namespace {

std::pair<double, double> range_of(const Params& params, const std::string& name) {
  const std::vector<double>& range = params.numbers(name);
  if (range.front() > range.back()) {
    throw ParamError(name, "'" + name + "' is [low, high] and low is above high", "swap the two");
  }
  return {range.front(), range.back()};
}

class RandomResizedCrop : public Operator {
 public:
  explicit RandomResizedCrop(const Params& params)
      : fields_(picture_fields(params)),
        size_(size_of_param(params)),
        range_{.scale = range_of(params, "scale"), .ratio = range_of(params, "ratio")},
        filter_(filter_of_param(params)) {}

  void infer(FieldTable& fields) override {
    resolve_fields(fields_, fields);
    set_known_size(fields_, fields, size_.first, size_.second);
  }

  void process(Context& ctx) override {
    const auto first = view_of(ctx.tensor(fields_[0].index), fields_[0].name, kName);
    const kernels::Size whole{first.height, first.width};
    Rng& rng = ctx.rng();
    const kernels::Box box =
        kernels::random_resized_box(whole, range_, [&rng] { return rng.uniform(); });
    for (const PictureField& field : fields_) {
      const kernels::ImageView from = view_of(ctx.tensor(field.index), field.name, kName);
      if (from.height != whole.height || from.width != whole.width) refuse_sizes(ctx, field);
      const auto to = output_picture(ctx, field.index, size_.first, size_.second, from.channels);
      resizer_.resize(kernels::crop_view(from, box), to,
                      field.is_mask ? kernels::Filter::kNearest : filter_);
    }
  }

  std::optional<Region> region(Context& ctx, int64_t width, int64_t height) const override {
    Rng rng = ctx.rng();  // a copy: process() will draw the same numbers
    const kernels::Box box = kernels::random_resized_box({to_int(height), to_int(width)}, range_,
                                                         [&rng] { return rng.uniform(); });
    return Region{.x = box.left, .y = box.top, .width = box.width, .height = box.height};
  }

 private:
  static constexpr const char* kName = "random_resized_crop";

  [[noreturn]] void refuse_sizes(Context& ctx, const PictureField& field) const {
    throw std::invalid_argument("fields '" + fields_[0].name + "' (" +
                                ctx.tensor(fields_[0].index).describe() + ") and '" + field.name +
                                "' (" + ctx.tensor(field.index).describe() +
                                ") differ in height or width; one crop is drawn for both");
  }

  std::vector<PictureField> fields_;
  std::pair<int, int> size_;
  kernels::CropRange range_;
  kernels::Filter filter_;
  kernels::Resizer resizer_;
};

}  // namespace

OperatorDef make_random_resized_crop() {
  Schema schema("random_resized_crop", Kind::kMap,
                "Crops at a random place, with random area and shape, and resizes the crop: "
                "torchvision's RandomResizedCrop. One draw for all fields of a sample.");
  schema.state(State::kPerSlot)
      .random()
      .param(size_param("[height, width] of the result; one number for a square."))
      .param({.name = "scale",
              .type = ParamType::kFloatList,
              .doc = "[low, high] of the crop's part of the picture's area.",
              .default_value = std::vector<double>{0.08, 1.0},
              .low = 1e-6,
              .high = 1,
              .min_items = 2,
              .max_items = 2})
      .param({.name = "ratio",
              .type = ParamType::kFloatList,
              .doc = "[low, high] of the crop's width divided by its height.",
              .default_value = std::vector<double>{3.0 / 4.0, 4.0 / 3.0},
              .low = 1e-3,
              .high = 1e3,
              .min_items = 2,
              .max_items = 2})
      .param(filter_param());
  add_fields(schema, true)
      .reads("image", "uint8 HWC picture")
      .writes("image", "uint8 HWC picture of the given size")
      .example("{op: random_resized_crop, params: {size: [224, 224]}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<RandomResizedCrop>(params); }};
}

}  // namespace penstock::operators
