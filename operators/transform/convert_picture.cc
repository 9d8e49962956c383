#include "transform/convert_picture.h"

#include <cstring>
#include <optional>
#include <stdexcept>

#include "kernels/convert.h"

namespace penstock::operators {
namespace {

std::optional<kernels::SampleType> sample_type(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return kernels::SampleType::kUint8;
    case DType::kUInt16:
      return kernels::SampleType::kUint16;
    case DType::kInt32:
      return kernels::SampleType::kInt32;
    case DType::kInt64:
      return kernels::SampleType::kInt64;
    case DType::kFloat32:
      return kernels::SampleType::kFloat32;
    default:
      return std::nullopt;
  }
}

/// Copies elements of `bytes` bytes into the other order of axes.
void reorder(const uint8_t* from, const PictureShape& shape, size_t bytes, uint8_t* to) {
  const int64_t pixels = shape.height * shape.width;
  const int64_t outer = shape.planar ? pixels : shape.channels;
  const int64_t inner = shape.planar ? shape.channels : pixels;
  for (int64_t i = 0; i < outer; ++i) {
    for (int64_t j = 0; j < inner; ++j, to += bytes) {
      std::memcpy(to, from + static_cast<size_t>(j * outer + i) * bytes, bytes);
    }
  }
}

class Converter : public Operator {
 public:
  Converter(const Params& params, Conversion conversion)
      : fields_(picture_fields(params)),
        conversion_(std::move(conversion)),
        scaling_(conversion_.scale ? kernels::Scaling::kRange : kernels::Scaling::kNone) {
    const auto type = sample_type(conversion_.dtype);
    if (!type) {
      throw ParamError("dtype",
                       "pictures cannot be " + std::string(name_of(conversion_.dtype)) + " here",
                       "uint8, uint16, int32, int64 or float32");
    }
    to_type_ = *type;
  }

  void infer(FieldTable& fields) override {
    resolve_fields(fields_, fields);
    for (const PictureField& field : fields_) {
      FieldInfo& info = fields.at(field.index);
      info = with_layout(info, conversion_.layout);
      info.dtype = conversion_.dtype;
    }
  }

  void process(Context& ctx) override {
    for (const PictureField& field : fields_) convert(ctx, field);
  }

 private:
  void convert(Context& ctx, const PictureField& field) {
    const Tensor& from = ctx.tensor(field.index);
    const PictureShape shape = picture_shape(from, field.name);
    const auto type = sample_type(from.dtype());
    if (!type) throw std::invalid_argument("field '" + field.name + "' is " + from.describe());
    const bool planar = planar_output(conversion_.layout, shape.planar);
    Tensor& out = ctx.output(field.index, sizes_of(shape, planar), conversion_.dtype,
                             planar ? Layout::kCHW : Layout::kHWC);
    const auto count = static_cast<size_t>(from.numel());
    if (planar == shape.planar) {
      return kernels::convert_samples(*type, from.data(), to_type_, out.mutable_data(), count,
                                      scaling_);
    }
    const size_t bytes = size_of(from.dtype());
    scratch_.resize(count * bytes);
    reorder(from.data_as<uint8_t>(), shape, bytes, scratch_.data());
    kernels::convert_samples(*type, scratch_.data(), to_type_, out.mutable_data(), count, scaling_);
  }

  std::vector<PictureField> fields_;
  Conversion conversion_;
  kernels::Scaling scaling_;
  kernels::SampleType to_type_ = kernels::SampleType::kFloat32;
  std::vector<uint8_t> scratch_;
};

}  // namespace

std::unique_ptr<Operator> make_converter(const Params& params, Conversion conversion) {
  return std::make_unique<Converter>(params, std::move(conversion));
}

}  // namespace penstock::operators
