#include "kernels/normalize.h"

#include <doctest/doctest.h>

#include <limits>

#include "kernels/convert.h"
#include "test_data.h"

namespace penstock::kernels::testing {
namespace {

const std::vector<double> kMean{0.485, 0.456, 0.406};
const std::vector<double> kStd{0.229, 0.224, 0.225};

std::string digest_of(const std::vector<float>& values) {
  return testing::digest(values.data(), values.size() * sizeof(float));
}

TEST_CASE("normalised photographs are float32's own divisions, in both layouts") {
  const Normalizer normalizer(kMean, kStd);
  for (std::istringstream& line : read_lines("normalize.txt")) {
    std::string as_hwc;
    std::string as_chw;
    std::string name;
    line >> as_hwc >> as_chw >> name;
    CAPTURE(name);
    const Picture photo = decode_file(name);
    const int h = photo.height;
    const int w = photo.width;
    const auto from = interleaved(photo.pixels.data(), 3, h, w);
    std::vector<float> result(photo.pixels.size());
    normalizer.apply(from, planar(result.data(), 3, h, w));
    CHECK(digest_of(result) == as_chw);
    normalizer.apply(from, interleaved(result.data(), 3, h, w));
    CHECK(digest_of(result) == as_hwc);

    Bytes planes(photo.pixels.size());
    copy_layout(from, planar(planes.data(), 3, h, w));
    normalizer.apply(planar<const std::uint8_t>(planes.data(), 3, h, w),
                     planar(result.data(), 3, h, w));
    CHECK(digest_of(result) == as_chw);

    std::vector<float> unit(photo.pixels.size());
    convert_samples(SampleType::kUint8, photo.pixels.data(), SampleType::kFloat32, unit.data(),
                    unit.size(), Scaling::kRange);
    normalizer.apply(interleaved<const float>(unit.data(), 3, h, w),
                     planar(result.data(), 3, h, w));
    CHECK(digest_of(result) == as_chw);
  }
}

TEST_CASE("means must fit the channels, a single one fits all") {
  const Picture gray = decode_file("cases/IMG-04_gray.jpg", {.channels = Channels::kUnchanged});
  const auto from = interleaved(gray.pixels.data(), 1, gray.height, gray.width);
  std::vector<float> result(gray.pixels.size());
  const auto to = planar(result.data(), 1, gray.height, gray.width);
  CHECK(error_of([&] { Normalizer(kMean, kStd).apply(from, to); }) ==
        "the picture has 1 channel but normalize has 3 means; give one for each channel, or a "
        "single one for all");
  const std::vector<double> half{0.5};
  Normalizer(half, half).apply(from, to);
  CHECK(result[0] == (static_cast<float>(gray.pixels[0]) / 255.0f - 0.5f) / 0.5f);

  const Picture rgb = pattern(3, 4, 3, 1);
  std::vector<float> three(rgb.pixels.size());
  Normalizer(half, half)
      .apply(interleaved(rgb.pixels.data(), 3, 3, 4), planar(three.data(), 3, 3, 4));
  CHECK(three[12] == (static_cast<float>(rgb.at(0, 0, 1)) / 255.0f - 0.5f) / 0.5f);
}

TEST_CASE("means and stds that cannot work are refused") {
  const std::vector<double> none;
  const std::vector<double> two{0.1, 0.2};
  const std::vector<double> zero{0.0};
  const std::vector<double> tiny{1e-60};
  const std::vector<double> nan{std::numeric_limits<double>::quiet_NaN()};
  CHECK_THROWS_AS(Normalizer(none, kStd), ImageError);
  CHECK_THROWS_AS(Normalizer(kMean, none), ImageError);
  CHECK_THROWS_AS(Normalizer(kMean, two), ImageError);
  CHECK_THROWS_AS(Normalizer(kMean, zero), ImageError);
  CHECK_THROWS_AS(Normalizer(kMean, tiny), ImageError);
  CHECK_THROWS_AS(Normalizer(nan, kStd), ImageError);
}

TEST_CASE("an output of other sizes is refused") {
  const Picture rgb = pattern(3, 4, 3, 1);
  std::vector<float> result(rgb.pixels.size());
  CHECK_THROWS_AS(
      Normalizer(kMean, kStd)
          .apply(interleaved(rgb.pixels.data(), 3, 3, 4), planar(result.data(), 3, 4, 3)),
      ImageError);
}

template <typename From, typename To>
To convert_one(SampleType from_type, From value, SampleType to_type, Scaling scaling) {
  To result{};
  convert_samples(from_type, &value, to_type, &result, 1, scaling);
  return result;
}

TEST_CASE("conversion scales when asked and keeps values otherwise") {
  using enum SampleType;
  constexpr Scaling kScale = Scaling::kRange;
  constexpr Scaling kKeep = Scaling::kNone;
  CHECK(convert_one<std::uint8_t, float>(kUint8, 255, kFloat32, kScale) == 1.0f);
  CHECK(convert_one<std::uint8_t, float>(kUint8, 1, kFloat32, kScale) == 1.0f / 255.0f);
  CHECK(convert_one<std::uint16_t, float>(kUint16, 65535, kFloat32, kScale) == 1.0f);
  CHECK(convert_one<std::uint16_t, std::uint8_t>(kUint16, 32896, kUint8, kScale) == 128);
  CHECK(convert_one<std::uint8_t, std::int64_t>(kUint8, 1, kInt64, kKeep) == 1);
  CHECK(convert_one<float, std::uint8_t>(kFloat32, 0.5f, kUint8, kScale) == 128);
  CHECK(convert_one<float, std::uint8_t>(kFloat32, 1.2f, kUint8, kScale) == 255);
  CHECK(convert_one<float, std::uint8_t>(kFloat32, -0.1f, kUint8, kScale) == 0);
  CHECK(convert_one<std::uint8_t, float>(kUint8, 200, kFloat32, kKeep) == 200.0f);
  CHECK(convert_one<std::uint8_t, std::uint16_t>(kUint8, 255, kUint16, kScale) == 65535);
  CHECK(convert_one<std::int64_t, std::uint8_t>(kInt64, -5, kUint8, kKeep) == 0);
  CHECK(convert_one<std::int64_t, std::int32_t>(kInt64, 1LL << 40, kInt32, kKeep) == 2147483647);
  CHECK(convert_one<float, std::int64_t>(kFloat32, 1e30f, kInt64, kKeep) ==
        std::numeric_limits<std::int64_t>::max());
  CHECK(convert_one<float, std::uint8_t>(kFloat32, std::numeric_limits<float>::quiet_NaN(), kUint8,
                                         kScale) == 0);
  CHECK(error_of([] { convert_one<std::uint8_t, std::int64_t>(kUint8, 1, kInt64, kScale); }) ==
        "scaling from uint8 to int64 is not defined; only uint8, uint16 and float32 can be scaled");
}

TEST_CASE("16 bits to 8 are rounded to the nearest level for every value") {
  for (int value = 0; value <= 65535; ++value) {
    const auto result = convert_one<std::uint16_t, std::uint8_t>(
        SampleType::kUint16, static_cast<std::uint16_t>(value), SampleType::kUint8,
        Scaling::kRange);
    if (result != static_cast<int>(value * 255.0 / 65535.0 + 0.5)) FAIL("value " << value);
  }
}

TEST_CASE("layouts change there and back") {
  const Picture picture = pattern(5, 7, 3, 9);
  Bytes planes(picture.pixels.size());
  copy_layout(interleaved<const std::uint8_t>(picture.pixels.data(), 3, 5, 7),
              planar(planes.data(), 3, 5, 7));
  CHECK(planes[35 + 8] == picture.at(1, 1, 1));
  Bytes back(planes.size());
  copy_layout(planar<const std::uint8_t>(planes.data(), 3, 5, 7),
              interleaved(back.data(), 3, 5, 7));
  CHECK(back == picture.pixels);
  CHECK_THROWS_AS(
      copy_layout(planar<const std::uint8_t>(planes.data(), 3, 5, 7), planar(back.data(), 3, 7, 5)),
      ImageError);
}

}  // namespace
}  // namespace penstock::kernels::testing
