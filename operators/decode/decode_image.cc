#include <stdexcept>

#include "builtin.h"
#include "kernels/image_decoder.h"
#include "transform/picture.h"

namespace penstock::operators {
namespace {

kernels::DecodeOptions options_of(const Params& params) {
  kernels::DecodeOptions options;
  const std::string& channels = params.text("channels");
  if (channels == "unchanged") options.channels = kernels::Channels::kUnchanged;
  if (channels == "indices") options.channels = kernels::Channels::kIndices;
  if (params.text("damaged") == "fill") options.damaged = kernels::Damaged::kFill;
  options.apply_orientation = params.text("orientation") == "apply";
  options.max_pixels = params.integer("max_pixels");
  return options;
}

class DecodeImage : public Operator {
 public:
  explicit DecodeImage(const Params& params)
      : options_(options_of(params)), name_(params.text("field")) {}

  void infer(FieldTable& fields) override {
    field_ = fields.require(name_, "field");
    const FieldInfo& info = fields.at(field_);
    if (info.is_text || (info.dtype && *info.dtype != DType::kUInt8) ||
        (info.shape && info.shape->size() != 1)) {
      throw ParamError("field", "field '" + name_ + "' does not hold encoded bytes",
                       "encoded bytes are uint8 with one dimension, as read_folder gives them");
    }
    const int64_t channels = options_.channels == kernels::Channels::kRgb       ? 3
                             : options_.channels == kernels::Channels::kIndices ? 1
                                                                                : -1;
    fields.at(field_) = {.name = name_,
                         .dtype = DType::kUInt8,
                         .shape = std::vector<int64_t>{-1, -1, channels},
                         .layout = Layout::kHWC};
  }

  void process(Context& ctx) override {
    const Tensor& encoded = ctx.tensor(field_);
    if (encoded.dtype() != DType::kUInt8 || encoded.dims() != 1 || !encoded.contiguous()) {
      throw std::invalid_argument("field '" + name_ + "' is " + encoded.describe() +
                                  "; encoded bytes are uint8 with one dimension");
    }
    const kernels::ImageInfo info = decoder_.read_header(encoded.bytes(), options_);
    decoder_.decode(output_picture(ctx, field_, info.height, info.width, info.channels));
    if (info.orientation > 1) ctx.tally(kOriented);
    if (decoder_.filled()) ctx.tally(kFilled);
  }

 private:
  enum Tally : size_t { kOriented, kFilled };
  kernels::DecodeOptions options_;
  std::string name_;
  int field_ = -1;
  kernels::ImageDecoder decoder_;
};

}  // namespace

OperatorDef make_decode_image() {
  Schema schema("decode_image", Kind::kMap,
                "Decodes JPEG and PNG to uint8 HWC pictures, equal to Pillow's byte for byte. The "
                "format is found from the content, never from the name.");
  schema.state(State::kPerSlot)
      .param({.name = "field",
              .type = ParamType::kString,
              .doc = "Field with the encoded bytes; the picture takes its place.",
              .default_value = std::string("image")})
      .param({.name = "channels",
              .type = ParamType::kChoice,
              .doc =
                  "rgb: always 3 channels (gray repeated, palette colours, CMYK converted, alpha "
                  "dropped with the colours under it left as stored). unchanged: 1 for gray, 3 "
                  "for colours, 2 or 4 where a PNG stores alpha. indices: 1, the palette indices "
                  "or gray samples of a PNG as stored (label masks).",
              .default_value = std::string("rgb"),
              .choices = {"rgb", "unchanged", "indices"}})
      .param({.name = "orientation",
              .type = ParamType::kChoice,
              .doc = "apply: turn the picture as its EXIF orientation says. ignore: pixels as "
                     "stored, as Pillow's open and torchvision give them.",
              .default_value = std::string("ignore"),
              .choices = {"ignore", "apply"}})
      .param({.name = "damaged",
              .type = ParamType::kChoice,
              .doc = "error: cut or damaged data fails the sample. fill: keep what can be decoded; "
                     "the rest is gray (JPEG) or black (PNG).",
              .default_value = std::string("error"),
              .choices = {"error", "fill"}})
      .param({.name = "max_pixels",
              .type = ParamType::kInt,
              .doc = "Larger pictures are refused from their header, before memory is taken; the "
                     "default is Pillow's limit.",
              .default_value = kernels::kDefaultMaxPixels,
              .unit = "pixels",
              .low = 1})
      .reads("image", "encoded JPEG or PNG: uint8, one dimension")
      .writes("image", "uint8 HWC picture")
      .tallies("oriented", "pictures whose EXIF orientation is not upright, applied or not")
      .tallies("filled", "damaged pictures that were kept (`damaged: fill`)")
      .example("{op: decode_image, params: {orientation: apply}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<DecodeImage>(params); }};
}

}  // namespace penstock::operators
