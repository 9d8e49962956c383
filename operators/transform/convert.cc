#include "builtin.h"
#include "transform/convert_picture.h"

namespace penstock::operators {

OperatorDef make_convert() {
  Schema schema("convert", Kind::kMap,
                "Pictures to another element type or order of axes. To a smaller range values are "
                "rounded and clamped.");
  schema.state(State::kPerSlot)
      .param({.name = "dtype",
              .type = ParamType::kDType,
              .doc = "Element type: uint8, uint16, int32, int64 or float32.",
              .required = true})
      .param({.name = "scale",
              .type = ParamType::kBool,
              .doc = "Carry values over as parts of the full range (1.0 in float32 is 255 in uint8 "
                     "and 65535 in uint16); off: values stay what they are.",
              .default_value = false})
      .param(layout_param("keep"));
  add_fields(schema, false)
      .reads("image", "picture, HWC or CHW")
      .writes("image", "picture of the given element type")
      .example("{op: convert, params: {dtype: uint8, scale: true, layout: HWC}}");
  return {.schema = std::move(schema), .make = [](const Params& params) {
            Conversion conversion{.scale = params.boolean("scale"),
                                  .layout = params.text("layout")};
            dtype_from_name(params.text("dtype"), &conversion.dtype);
            return make_converter(params, conversion);
          }};
}

}  // namespace penstock::operators
