#include "kernels/resize.h"

#include "builtin.h"
#include "transform/picture.h"

namespace penstock::operators {
namespace {

class Resize : public Operator {
 public:
  explicit Resize(const Params& params)
      : fields_(picture_fields(params)),
        size_(size_of_param(params)),
        by_shorter_side_(params.integers("size").size() == 1),
        filter_(filter_of_param(params)),
        max_pixels_(params.integer("max_pixels")) {}

  void infer(FieldTable& fields) override {
    resolve_fields(fields_, fields);
    set_known_size(fields_, fields, by_shorter_side_ ? -1 : size_.first,
                   by_shorter_side_ ? -1 : size_.second);
  }

  void process(Context& ctx) override {
    for (const PictureField& field : fields_) {
      const kernels::ImageView from = view_of(ctx.tensor(field.index), field.name, "resize");
      const kernels::Size size = target_size(from);
      const auto to = output_picture(ctx, field.index, size.height, size.width, from.channels);
      resizer_.resize(from, to, field.is_mask ? kernels::Filter::kNearest : filter_);
    }
  }

 private:
  kernels::Size target_size(const kernels::ImageView& from) const {
    if (by_shorter_side_) {
      return kernels::fit_shorter_side({from.height, from.width}, size_.first, max_pixels_);
    }
    kernels::check_pixel_limit(size_.first, size_.second, max_pixels_, "resized picture");
    return {size_.first, size_.second};
  }

  std::vector<PictureField> fields_;
  std::pair<int, int> size_;
  bool by_shorter_side_;
  kernels::Filter filter_;
  int64_t max_pixels_;
  kernels::Resizer resizer_;
};

}  // namespace

OperatorDef make_resize() {
  Schema schema("resize", Kind::kMap, "Resizes uint8 HWC pictures, antialiased.");
  schema.state(State::kPerSlot)
      .param(size_param("[height, width], or one number: the shorter side, the other in proportion "
                        "(rounded down, at least 1)."))
      .param(filter_param())
      .param({.name = "max_pixels",
              .type = ParamType::kInt,
              .doc = "A larger result is refused before memory is taken.",
              .default_value = kernels::kDefaultMaxPixels,
              .unit = "pixels",
              .low = 1});
  add_fields(schema, true)
      .reads("image", "uint8 HWC picture")
      .writes("image", "uint8 HWC picture of the new size")
      .example("{op: resize, params: {size: 256}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<Resize>(params); }};
}

}  // namespace penstock::operators
