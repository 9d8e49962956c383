#include "transform/picture.h"

#include <limits>
#include <stdexcept>

namespace penstock::operators {

std::vector<PictureField> picture_fields(const Params& params) {
  std::vector<PictureField> fields;
  for (const std::string& name : params.texts("fields")) fields.push_back({.name = name});
  if (params.has("masks")) {
    for (const std::string& name : params.texts("masks")) {
      fields.push_back({.name = name, .is_mask = true});
    }
  }
  return fields;
}

Schema& add_fields(Schema& schema, bool with_masks) {
  schema.param({.name = "fields",
                .type = ParamType::kStringList,
                .doc = "Pictures of a sample that are all treated alike.",
                .default_value = std::vector<std::string>{"image"},
                .min_items = 1});
  if (with_masks) {
    schema.param({.name = "masks",
                  .type = ParamType::kStringList,
                  .doc =
                      "Label masks that are treated alike too, but by the centre rule (nearest), "
                      "so that no new label appears.",
                  .default_value = std::vector<std::string>{}});
  }
  return schema;
}

void resolve_fields(std::vector<PictureField>& fields, FieldTable& table) {
  for (PictureField& field : fields) {
    const std::string param = field.is_mask ? "masks" : "fields";
    field.index = table.require(field.name, param);
    const FieldInfo& info = table.at(field.index);
    if (info.is_text || (info.shape && info.shape->size() != 3)) {
      throw ParamError(param, "field '" + field.name + "' is not a picture",
                       "a picture has three dimensions; decode_image makes one from encoded bytes");
    }
  }
}

void set_known_size(const std::vector<PictureField>& fields, FieldTable& table, int64_t height,
                    int64_t width) {
  for (const PictureField& field : fields) {
    FieldInfo& info = table.at(field.index);
    if (!info.shape) continue;
    const size_t first = info.layout == Layout::kCHW ? 1 : 0;
    (*info.shape)[first] = height;
    (*info.shape)[first + 1] = width;
  }
}

PictureShape picture_shape(const Tensor& tensor, const std::string& field) {
  const bool planar = tensor.layout() == Layout::kCHW;
  if (tensor.dims() != 3 || !tensor.contiguous() ||
      (!planar && tensor.layout() != Layout::kHWC && tensor.layout() != Layout::kNone)) {
    throw std::invalid_argument("field '" + field + "' is " + tensor.describe() +
                                ", not a picture (HWC or CHW)");
  }
  const int at = planar ? 1 : 0;
  return {.height = tensor.size(at),
          .width = tensor.size(at + 1),
          .channels = tensor.size(planar ? 0 : 2),
          .planar = planar};
}

kernels::ImageView view_of(const Tensor& tensor, const std::string& field, const std::string& op) {
  const bool usable = tensor.dtype() == DType::kUInt8 && tensor.dims() == 3 &&
                      (tensor.layout() == Layout::kHWC || tensor.layout() == Layout::kNone) &&
                      tensor.stride(2) == 1 && tensor.stride(1) == tensor.size(2);
  if (!usable) {
    throw std::invalid_argument("field '" + field + "' is " + tensor.describe() + "; " + op +
                                " works on uint8 HWC pictures: put it behind decode_image and "
                                "before normalize");
  }
  return {tensor.data_as<uint8_t>(), to_int(tensor.size(0)), to_int(tensor.size(1)),
          to_int(tensor.size(2)), tensor.stride(0)};
}

kernels::MutableImageView output_picture(Context& ctx, int field, int64_t height, int64_t width,
                                         int64_t channels) {
  Tensor& out = ctx.output(field, {height, width, channels}, DType::kUInt8, Layout::kHWC);
  return kernels::packed_view(out.mutable_data_as<uint8_t>(), to_int(height), to_int(width),
                              to_int(channels));
}

int to_int(int64_t value) {
  if (value < 0 || value > std::numeric_limits<int>::max()) {
    throw std::invalid_argument("a picture's side of " + std::to_string(value) + " is too large");
  }
  return static_cast<int>(value);
}

Param size_param(std::string doc) {
  return {.name = "size",
          .type = ParamType::kIntList,
          .doc = std::move(doc),
          .required = true,
          .unit = "pixels",
          .low = 1,
          .high = 65535,
          .min_items = 1,
          .max_items = 2};
}

std::pair<int, int> size_of_param(const Params& params) {
  const std::vector<int64_t>& size = params.integers("size");
  return {to_int(size.front()), to_int(size.back())};
}

Param filter_param() {
  return {.name = "filter",
          .type = ParamType::kChoice,
          .doc = "Interpolation; bilinear and bicubic are antialiased and equal to Pillow 13's.",
          .default_value = std::string("bilinear"),
          .choices = {"bilinear", "bicubic", "nearest"}};
}

kernels::Filter filter_of_param(const Params& params) {
  const std::string& name = params.text("filter");
  if (name == "nearest") return kernels::Filter::kNearest;
  return name == "bicubic" ? kernels::Filter::kBicubic : kernels::Filter::kBilinear;
}

}  // namespace penstock::operators
