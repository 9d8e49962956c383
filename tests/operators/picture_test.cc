#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "kernels/crop.h"
#include "kernels/resize.h"
#include "kernels/test_data.h"
#include "penstock/testing.h"

namespace penstock::testing {
namespace {

using kernels::testing::Picture;

Tensor encoded(const std::string& file) {
  const auto bytes = kernels::testing::read_bytes(file);
  return tensor_of<uint8_t>({static_cast<int64_t>(bytes.size())}, bytes);
}

Tensor tensor_of_picture(const Picture& picture) {
  return tensor_of<uint8_t>({picture.height, picture.width, picture.channels}, picture.pixels,
                            Layout::kHWC);
}

/// The field `image` behind one operator.
Tensor image_behind(const std::string& op, const ParamList& params, const Tensor& image,
                    const Setup& setup = {}) {
  return run_operator(op, params, {{{"image", image}}}, setup).at(0).tensor("image");
}

std::string text_of(const Tensor& tensor) { return tensor.describe(); }

std::string infer_error(const std::string& op, const ParamList& params, FieldInfo known) {
  try {
    infer_operator(op, params, FieldTable({std::move(known)}));
  } catch (const ParamError& error) {
    return error.param() + ": " + error.what();
  }
  return "";
}

const std::vector<double> kMean{0.485, 0.456, 0.406};
const std::vector<double> kStd{0.229, 0.224, 0.225};
const FieldInfo kKnownRgb{.name = "image",
                          .dtype = DType::kUInt8,
                          .shape = std::vector<int64_t>{-1, -1, 3},
                          .layout = Layout::kHWC};

TEST_CASE("decode_image turns encoded bytes into pictures of each mode") {
  const Tensor gray = encoded("cases/IMG-04_gray.jpg");
  CHECK(text_of(image_behind("decode_image", {}, gray)) == "uint8 [32, 48, 3] HWC");
  CHECK(text_of(image_behind("decode_image", {{"channels", "unchanged"}}, gray)) ==
        "uint8 [32, 48, 1] HWC");
  const Tensor mask = encoded("cases/XFM-02_mask.png");
  CHECK(text_of(image_behind("decode_image", {{"channels", "indices"}}, mask)) ==
        "uint8 [8, 8, 1] HWC");
  const Tensor turned = encoded("cases/IMG-14_exif_6.jpg");
  CHECK(text_of(image_behind("decode_image", {}, turned)) == "uint8 [32, 48, 3] HWC");
  CHECK(text_of(image_behind("decode_image", {{"orientation", "apply"}}, turned)) ==
        "uint8 [48, 32, 3] HWC");
}

TEST_CASE("decode_image counts pictures with an orientation, applied or not, and filled ones") {
  const auto counted = [](const std::string& file, const ParamList& params) {
    return run_operator("decode_image", params, {{{"image", encoded("cases/" + file)}}})[0].tallies;
  };
  CHECK(counted("IMG-14_exif_1.jpg", {}) == Tallies{0, 0});
  CHECK(counted("IMG-14_exif_6.jpg", {}) == Tallies{1, 0});
  CHECK(counted("IMG-14_exif_3.jpg", {{"orientation", "apply"}}) == Tallies{1, 0});
  CHECK(counted("IMG-13_bad_iccp.png", {{"damaged", "fill"}}) == Tallies{0, 0});
  CHECK(counted("IMG-16_truncated.jpg", {{"damaged", "fill"}}) == Tallies{0, 1});
  CHECK(counted("IMG-16_truncated.png", {{"damaged", "fill"}}) == Tallies{0, 1});
}

TEST_CASE("decode_image fails, fills or refuses as told") {
  const Tensor cut = encoded("cases/IMG-16_truncated.jpg");
  CHECK_THROWS_AS(image_behind("decode_image", {}, cut), kernels::ImageError);
  CHECK(text_of(image_behind("decode_image", {{"damaged", "fill"}}, cut)).starts_with("uint8"));
  CHECK_THROWS_AS(image_behind("decode_image", {}, encoded("cases/IMG-25_bomb.png")),
                  kernels::ImageError);
  CHECK_THROWS_AS(image_behind("decode_image", {{"max_pixels", 10}}, cut), kernels::ImageError);
  CHECK(infer_error("decode_image", {}, kKnownRgb) ==
        "field: field 'image' does not hold encoded bytes");
  CHECK(infer_error("decode_image", {{"field", "picture"}}, kKnownRgb) ==
        "field: there is no field 'picture' here");
}

TEST_CASE("resize takes a size, or the shorter side") {
  const Picture picture = kernels::testing::pattern(30, 60, 3, 1);
  const Tensor image = tensor_of_picture(picture);
  const Tensor both = image_behind("resize", {{"size", std::vector<int64_t>{10, 15}}}, image);
  CHECK(text_of(both) == "uint8 [10, 15, 3] HWC");
  Picture expected(10, 15, 3);
  kernels::Resizer().resize(picture.view(), expected.view(), kernels::Filter::kBilinear);
  CHECK(values_of<uint8_t>(both) == expected.pixels);
  CHECK(text_of(image_behind("resize", {{"size", 10}}, image)) == "uint8 [10, 20, 3] HWC");
  CHECK_THROWS_AS(image_behind("resize", {{"size", 10}, {"max_pixels", 199}}, image),
                  kernels::ImageError);
}

TEST_CASE("resize gives masks no new labels") {
  const Tensor mask =
      image_behind("decode_image", {{"channels", "indices"}}, encoded("cases/XFM-02_mask.png"));
  const ParamList params{{"size", std::vector<int64_t>{3, 3}},
                         {"fields", std::vector<std::string>{"image"}},
                         {"masks", std::vector<std::string>{"mask"}}};
  const auto out = run_operator("resize", params, {{{"image", mask}, {"mask", mask}}});
  CHECK(values_of<uint8_t>(out[0].tensor("mask")) ==
        kernels::testing::read_npy("cases/XFM-02_expect_3.npy"));
  CHECK(values_of<uint8_t>(out[0].tensor("image")) != values_of<uint8_t>(out[0].tensor("mask")));
}

TEST_CASE("operators on pixels refuse what is not a uint8 HWC picture, and say where they belong") {
  const Tensor floats = tensor_of<float>({1, 2, 2}, {0, 0, 0, 0}, Layout::kCHW);
  CHECK_THROWS_WITH(image_behind("resize", {{"size", 2}}, floats),
                    "field 'image' is float32 [1, 2, 2] CHW; resize works on uint8 HWC pictures: "
                    "put it behind decode_image and before normalize");
  CHECK(infer_error("horizontal_flip", {},
                    {.name = "image", .dtype = DType::kUInt8, .shape = std::vector<int64_t>{-1}}) ==
        "fields: field 'image' is not a picture");
}

TEST_CASE("center_crop cuts the middle in both layouts and refuses small pictures") {
  const Picture picture = kernels::testing::pattern(9, 12, 3, 2);
  const ParamList params{{"size", std::vector<int64_t>{4, 6}}};
  const Tensor hwc = image_behind("center_crop", params, tensor_of_picture(picture));
  CHECK(text_of(hwc) == "uint8 [4, 6, 3] HWC");
  CHECK(values_of<uint8_t>(hwc)[0] == picture.at(2, 3, 0));
  CHECK(values_of<uint8_t>(hwc)[71] == picture.at(5, 8, 2));
  const Tensor planes = image_behind("to_float", {{"scale", false}}, tensor_of_picture(picture));
  const Tensor chw = image_behind("center_crop", params, planes);
  CHECK(text_of(chw) == "float32 [3, 4, 6] CHW");
  CHECK(values_of<float>(chw)[0] == picture.at(2, 3, 0));
  CHECK(values_of<float>(chw)[71] == picture.at(5, 8, 2));
  CHECK_THROWS_WITH(
      image_behind("center_crop", {{"size", 224}}, tensor_of_picture(picture)),
      "crop of 224 x 224 is larger than the picture of 9 x 12 (height x width); resize first");
}

TEST_CASE("random_resized_crop draws by sample, alike for all its fields") {
  const Picture picture = kernels::testing::pattern(50, 70, 3, 3);
  const Tensor image = tensor_of_picture(picture);
  const ParamList params{{"size", 20}, {"fields", std::vector<std::string>{"image", "twin"}}};
  const std::vector<NamedFields> inputs(8, {{"image", image}, {"twin", image}});
  const auto first = run_operator("random_resized_crop", params, inputs);
  const auto again = run_operator("random_resized_crop", params, inputs);
  std::set<std::vector<uint8_t>> different;
  for (size_t i = 0; i < first.size(); ++i) {
    const auto values = values_of<uint8_t>(first[i].tensor("image"));
    CHECK(text_of(first[i].tensor("image")) == "uint8 [20, 20, 3] HWC");
    CHECK(values == values_of<uint8_t>(first[i].tensor("twin")));
    CHECK(values == values_of<uint8_t>(again[i].tensor("image")));
    different.insert(values);
  }
  CHECK(different.size() == 8);
}

TEST_CASE("random_resized_crop crops where its generator says") {
  const Picture picture = kernels::testing::pattern(50, 70, 3, 3);
  Setup setup;
  setup.stream = "augment";
  const Tensor out =
      image_behind("random_resized_crop", {{"size", 16}}, tensor_of_picture(picture), setup);
  Rng rng(setup.seed, {}, hash_text("augment"));
  const kernels::Box box =
      kernels::random_resized_box({50, 70}, {}, [&rng] { return rng.uniform(); });
  Picture expected(16, 16, 3);
  kernels::Resizer().resize(kernels::crop_view(picture.view(), box), expected.view(),
                            kernels::Filter::kBilinear);
  CHECK(values_of<uint8_t>(out) == expected.pixels);
}

TEST_CASE("random_resized_crop refuses fields of different sizes and ranges upside down") {
  const Tensor large = tensor_of_picture(kernels::testing::pattern(5, 7, 3, 3));
  const Tensor small = tensor_of_picture(kernels::testing::pattern(5, 6, 3, 3));
  const ParamList params{{"size", 2}, {"masks", std::vector<std::string>{"mask"}}};
  CHECK_THROWS_WITH(
      run_operator("random_resized_crop", params, {{{"image", large}, {"mask", small}}}),
      "fields 'image' (uint8 [5, 7, 3] HWC) and 'mask' (uint8 [5, 6, 3] HWC) differ in height or "
      "width; one crop is drawn for both");
  CHECK_THROWS_AS(
      make_operator("random_resized_crop", {{"size", 2}, {"scale", std::vector<double>{0.9, 0.1}}}),
      ParamError);
}

TEST_CASE("horizontal_flip mirrors all its fields of a sample or none") {
  const Picture picture = kernels::testing::pattern(3, 5, 3, 4);
  const Tensor image = tensor_of_picture(picture);
  Picture mirrored = picture;
  kernels::flip_horizontal(picture.view(), mirrored.view());
  const ParamList params{{"fields", std::vector<std::string>{"image", "twin"}}};
  const std::vector<NamedFields> inputs(400, {{"image", image}, {"twin", image}});
  int flipped = 0;
  for (const Sample& sample : run_operator("horizontal_flip", params, inputs)) {
    const auto values = values_of<uint8_t>(sample.tensor("image"));
    CHECK(values == values_of<uint8_t>(sample.tensor("twin")));
    if (values == mirrored.pixels)
      ++flipped;
    else
      CHECK(sample.tensor("image").data() == image.data());  // passed on, not copied
  }
  CHECK(flipped > 150);
  CHECK(flipped < 250);
}

TEST_CASE("horizontal_flip mirrors planes of floats") {
  const Tensor planes = tensor_of<float>({2, 1, 3}, {1, 2, 3, 4, 5, 6}, Layout::kCHW);
  CHECK(values_of<float>(image_behind("horizontal_flip", {{"probability", 1}}, planes)) ==
        std::vector<float>{3, 2, 1, 6, 5, 4});
}

TEST_CASE("normalize gives float planes, or keeps the layout on request") {
  const Picture picture = kernels::testing::pattern(2, 3, 3, 5);
  const ParamList params{{"mean", kMean}, {"std", kStd}};
  const Tensor chw = image_behind("normalize", params, tensor_of_picture(picture));
  CHECK(text_of(chw) == "float32 [3, 2, 3] CHW");
  const auto mean = static_cast<float>(kMean[1]);
  const auto deviation = static_cast<float>(kStd[1]);
  CHECK(values_of<float>(chw)[6 + 4] ==
        (static_cast<float>(picture.at(1, 1, 1)) / 255.0F - mean) / deviation);
  ParamList keep = params;
  keep.emplace_back("layout", "keep");
  CHECK(text_of(image_behind("normalize", keep, tensor_of_picture(picture))) ==
        "float32 [2, 3, 3] HWC");
  const Tensor unit = image_behind("to_float", {}, tensor_of_picture(picture));
  CHECK(values_of<float>(image_behind("normalize", params, unit)) == values_of<float>(chw));
}

TEST_CASE("normalize refuses means that do not fit, before the run where the channels are known") {
  const ParamList params{{"mean", kMean}, {"std", kStd}};
  FieldInfo gray = kKnownRgb;
  gray.shape = std::vector<int64_t>{-1, -1, 1};
  CHECK(infer_error("normalize", params, gray) ==
        "mean: field 'image' has 1 channels and there are 3 means");
  CHECK(infer_error("normalize", {{"mean", 0.5}, {"std", 0.5}}, gray).empty());
  CHECK(infer_error("normalize", params, kKnownRgb).empty());
  const Tensor decoded =
      image_behind("decode_image", {{"channels", "unchanged"}}, encoded("cases/IMG-04_gray.jpg"));
  Setup setup;
  setup.known = {{.name = "image"}};
  CHECK_THROWS_WITH(image_behind("normalize", params, decoded, setup),
                    "the picture has 1 channel but normalize has 3 means; give one for each "
                    "channel, or a single one for all");
  CHECK_THROWS_AS(make_operator("normalize", {{"mean", 0.5}, {"std", 0}}), ParamError);
}

TEST_CASE("to_float scales and convert keeps values unless told otherwise") {
  const Tensor image = tensor_of<uint8_t>({1, 2, 2}, {0, 51, 255, 102}, Layout::kHWC);
  CHECK(values_of<float>(image_behind("to_float", {}, image)) ==
        std::vector<float>{0, 1, 51 / 255.0F, 102 / 255.0F});
  CHECK(values_of<float>(image_behind("to_float", {{"scale", false}, {"layout", "HWC"}}, image)) ==
        std::vector<float>{0, 51, 255, 102});
  const Tensor wide = image_behind("convert", {{"dtype", "int64"}}, image);
  CHECK(values_of<int64_t>(wide) == std::vector<int64_t>{0, 51, 255, 102});
  const Tensor floats = image_behind("to_float", {}, image);
  const ParamList back{{"dtype", "uint8"}, {"scale", true}, {"layout", "HWC"}};
  CHECK(values_of<uint8_t>(image_behind("convert", back, floats)) == values_of<uint8_t>(image));
  CHECK_THROWS_AS(make_operator("convert", {{"dtype", "bool"}}), ParamError);
}

TEST_CASE("what is known before the run agrees with what comes out") {
  const Tensor image = tensor_of_picture(kernels::testing::pattern(40, 60, 3, 1));
  const std::vector<std::pair<std::string, ParamList>> operators{
      {"resize", {{"size", std::vector<int64_t>{8, 9}}}},
      {"resize", {{"size", 8}}},
      {"center_crop", {{"size", 8}}},
      {"random_resized_crop", {{"size", std::vector<int64_t>{8, 9}}}},
      {"horizontal_flip", {}},
      {"normalize", {{"mean", kMean}, {"std", kStd}}},
      {"normalize", {{"mean", kMean}, {"std", kStd}, {"layout", "HWC"}}},
      {"to_float", {}},
      {"convert", {{"dtype", "uint16"}, {"layout", "CHW"}}}};
  for (const auto& [op, params] : operators) {
    CAPTURE(op);
    const FieldTable table = infer_operator(op, params, FieldTable({kKnownRgb}));
    const FieldInfo& info = table.at(0);
    const Tensor out = image_behind(op, params, image);
    CHECK(info.dtype == out.dtype());
    CHECK(info.layout == out.layout());
    REQUIRE(info.shape.has_value());
    for (int i = 0; i < 3; ++i) {
      const int64_t known = info.shape->at(static_cast<size_t>(i));
      CHECK((known == -1 || known == out.size(i)));
    }
  }
}

}  // namespace
}  // namespace penstock::testing
