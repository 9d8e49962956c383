#include "builtin.h"
#include "transform/convert_picture.h"

namespace penstock::operators {

OperatorDef make_to_float() {
  Schema schema(
      "to_float", Kind::kMap,
      "Pictures to float32: uint8 / 255 and uint16 / 65535 unless `scale` is off, and CHW "
      "unless `layout` says otherwise (torchvision's ToTensor).");
  schema.state(State::kPerSlot)
      .param({.name = "scale",
              .type = ParamType::kBool,
              .doc = "Divide by the largest value of the element type; off: values stay.",
              .default_value = true})
      .param(layout_param("CHW"));
  add_fields(schema, false)
      .reads("image", "picture, HWC or CHW")
      .writes("image", "float32 picture")
      .example("{op: to_float, params: {layout: HWC}}");
  return {.schema = std::move(schema), .make = [](const Params& params) {
            return make_converter(params, {.dtype = DType::kFloat32,
                                           .scale = params.boolean("scale"),
                                           .layout = params.text("layout")});
          }};
}

}  // namespace penstock::operators
