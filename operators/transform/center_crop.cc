#include <cstring>

#include "builtin.h"
#include "kernels/crop.h"
#include "transform/picture.h"

namespace penstock::operators {
namespace {

class CenterCrop : public Operator {
 public:
  explicit CenterCrop(const Params& params)
      : fields_(picture_fields(params)), size_(size_of_param(params)) {}

  void infer(FieldTable& fields) override {
    resolve_fields(fields_, fields);
    set_known_size(fields_, fields, size_.first, size_.second);
  }

  void process(Context& ctx) override {
    for (const PictureField& field : fields_) crop(ctx, field);
  }

  std::optional<Region> region(Context&, int64_t width, int64_t height) const override {
    if (height < size_.first || width < size_.second) return std::nullopt;
    const kernels::Box box = box_in(height, width);
    return Region{.x = box.left, .y = box.top, .width = box.width, .height = box.height};
  }

 private:
  kernels::Box box_in(int64_t height, int64_t width) const {
    return kernels::center_box({to_int(height), to_int(width)}, {size_.first, size_.second});
  }

  void crop(Context& ctx, const PictureField& field) const {
    const Tensor& from = ctx.tensor(field.index);
    const PictureShape shape = picture_shape(from, field.name);
    const kernels::Box box = box_in(shape.height, shape.width);
    const int64_t planes = shape.planar ? shape.channels : 1;
    const auto pixel =
        static_cast<int64_t>(size_of(from.dtype())) * (shape.planar ? 1 : shape.channels);
    const int64_t sizes[2][3] = {{box.height, box.width, shape.channels},
                                 {shape.channels, box.height, box.width}};
    auto* to = ctx.output(field.index, sizes[shape.planar ? 1 : 0], from.dtype(), from.layout())
                   .mutable_data_as<uint8_t>();
    const int64_t bytes = box.width * pixel;
    for (int64_t plane = 0; plane < planes; ++plane) {
      for (int64_t y = 0; y < box.height; ++y, to += bytes) {
        const int64_t row = plane * shape.height + box.top + y;
        std::memcpy(to, from.data_as<uint8_t>() + (row * shape.width + box.left) * pixel,
                    static_cast<size_t>(bytes));
      }
    }
  }

  std::vector<PictureField> fields_;
  std::pair<int, int> size_;
};

}  // namespace

OperatorDef make_center_crop() {
  Schema schema("center_crop", Kind::kMap,
                "Cuts out the middle of pictures of any element type and layout. A picture smaller "
                "than the crop is an error: resize it first.");
  schema.param(size_param("[height, width]; one number for a square."));
  add_fields(schema, false)
      .reads("image", "picture, HWC or CHW")
      .writes("image", "its middle, same element type and layout")
      .example("{op: center_crop, params: {size: 224}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<CenterCrop>(params); }};
}

}  // namespace penstock::operators
