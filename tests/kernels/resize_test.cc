#include "kernels/resize.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "kernels/crop.h"
#include "test_data.h"

namespace penstock::kernels::testing {
namespace {

Filter filter_of(const std::string& name) {
  if (name == "nearest") return Filter::kNearest;
  return name == "bicubic" ? Filter::kBicubic : Filter::kBilinear;
}

Picture resized(const ImageView& source, Size size, Filter filter, Simd simd = best_simd()) {
  Resizer resizer(simd);
  Picture picture(size.height, size.width, source.channels);
  resizer.resize(source, picture.view(), filter);
  return picture;
}

TEST_CASE("crops of photographs resize to Pillow's bytes") {
  int lines = 0;
  std::string loaded;
  Picture photo;
  for (std::istringstream& line : read_lines("resize_photos.txt")) {
    Box box;
    Size size;
    std::string filter;
    std::string expected;
    std::string name;
    line >> box.top >> box.left >> box.height >> box.width >> size.height >> size.width >> filter >>
        expected >> name;
    CAPTURE(line.str());
    if (name != loaded) photo = decode_file(loaded = name);
    const ImageView crop = crop_view(photo.view(), box);
    CHECK(resized(crop, size, filter_of(filter)).digest() == expected);
    ++lines;
  }
  CHECK(lines == 352);
}

TEST_CASE("pictures of all sizes resize to Pillow's bytes, with any instruction set") {
  int lines = 0;
  Resizer fast;
  Resizer slow(Simd::kScalar);
  for (std::istringstream& line : read_lines("resize_patterns.txt")) {
    std::uint32_t seed = 0;
    int channels = 0;
    Size from;
    Size to;
    std::string filter;
    std::string expected;
    line >> seed >> channels >> from.height >> from.width >> to.height >> to.width >> filter >>
        expected;
    CAPTURE(line.str());
    const Picture source = pattern(from.height, from.width, channels, seed);
    Picture target(to.height, to.width, channels);
    fast.resize(source.view(), target.view(), filter_of(filter));
    CHECK(target.digest() == expected);
    slow.resize(source.view(), target.view(), filter_of(filter));
    CHECK(target.digest() == expected);
    ++lines;
  }
  CHECK(lines == 1880);
}

TEST_CASE("all instruction sets give the same bits for 1 to 4 channels and apart rows") {
  std::mt19937 random(5);
  Resizer fast;
  Resizer slow(Simd::kScalar);
  for (int round = 0; round < 400; ++round) {
    const auto side = [&random](int most) { return 1 + static_cast<int>(random() % most); };
    const int channels = side(4);
    const Picture source = pattern(side(70), side(70), channels, static_cast<unsigned>(round));
    const Box box{0, 0, side(source.height), side(source.width)};
    const ImageView view = crop_view(source.view(), box);
    const Filter filter = round % 2 == 0 ? Filter::kBilinear : Filter::kBicubic;
    Picture a(side(80), side(80), channels);
    Picture b = a;
    fast.resize(view, a.view(), filter);
    slow.resize(view, b.view(), filter);
    CHECK(a.pixels == b.pixels);
  }
}

TEST_CASE("narrow stripes do not alias") {
  const Picture stripes = decode_file("cases/XFM-01_stripes.png");
  for (const char* filter : {"bilinear", "bicubic"}) {
    for (const Size size : {Size{12, 16}, Size{9, 21}}) {
      const std::string name = std::string("cases/XFM-01_expect_") + filter + "_" +
                               std::to_string(size.width) + "x" + std::to_string(size.height) +
                               ".npy";
      CAPTURE(name);
      const Bytes expected = read_npy(name);
      const Picture result = resized(stripes.view(), size, filter_of(filter));
      REQUIRE(expected.size() == result.pixels.size());
      // Made by an older Pillow, whose passes come in another order for some sizes.
      int worst = 0;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        worst = std::max(worst, std::abs(expected[i] - result.pixels[i]));
      }
      CHECK(worst <= 1);
    }
  }
}

TEST_CASE("label masks follow the centre rule and gain no labels") {
  const DecodeOptions as_stored{.channels = Channels::kIndices};
  const Picture mask = decode_file("cases/XFM-02_mask.png", as_stored);
  CHECK(mask.channels == 1);
  for (int side : {3, 4, 16}) {
    const Bytes expected = read_npy("cases/XFM-02_expect_" + std::to_string(side) + ".npy");
    CHECK(resized(mask.view(), {side, side}, Filter::kNearest).pixels == expected);
  }
}

TEST_CASE("extreme shapes keep sides of at least one pixel") {
  CHECK(fit_shorter_side({480, 640}, 240) == Size{240, 320});
  CHECK(fit_shorter_side({641, 427}, 256) == Size{384, 256});
  CHECK(fit_shorter_side({1, 1}, 7) == Size{7, 7});
  CHECK(fit_shorter_side({2000, 1}, 1) == Size{2000, 1});
  const std::string error = error_of([] { fit_shorter_side({1, 2000}, 1000); });
  CHECK(error.find("2000000 x 1000 pixels") != std::string::npos);
  CHECK(error.find("max_pixels") != std::string::npos);
  CHECK_FALSE(error_of([] { fit_shorter_side({2'000'000'000, 1}, 2'000'000'000); }).empty());
  for (const char* name :
       {"cases/XFM-05_1x2000.png", "cases/XFM-05_2000x1.png", "cases/XFM-05_1x1.png"}) {
    const Picture source = decode_file(name);
    for (const Filter filter : {Filter::kNearest, Filter::kBilinear, Filter::kBicubic}) {
      CHECK(resized(source.view(), {1, 1}, filter).pixels.size() == 3);
      CHECK(resized(source.view(), {5, 3000}, filter).width == 3000);
    }
  }
}

TEST_CASE("impossible resizes are refused") {
  Resizer resizer;
  Picture rgb(4, 4, 3);
  Picture gray(2, 2, 1);
  Picture empty(0, 4, 3);
  CHECK_FALSE(
      error_of([&] { resizer.resize(rgb.view(), gray.view(), Filter::kBilinear); }).empty());
  CHECK_FALSE(
      error_of([&] { resizer.resize(empty.view(), rgb.view(), Filter::kBilinear); }).empty());
  CHECK_FALSE(
      error_of([&] { resizer.resize(rgb.view(), empty.view(), Filter::kNearest); }).empty());
  Picture five(4, 4, 5);
  Picture five_small(2, 2, 5);
  CHECK_FALSE(
      error_of([&] { resizer.resize(five.view(), five_small.view(), Filter::kBicubic); }).empty());
}

}  // namespace
}  // namespace penstock::kernels::testing
