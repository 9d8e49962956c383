#include "kernels/crop.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "test_data.h"

namespace penstock::kernels::testing {
namespace {

TEST_CASE("random boxes are torchvision's for the same draws") {
  int lines = 0;
  for (std::istringstream& line : read_lines("random_boxes.txt")) {
    Size size;
    CropRange range;
    Box expected;
    line >> size.height >> size.width >> range.scale.first >> range.scale.second >>
        range.ratio.first >> range.ratio.second >> expected.top >> expected.left >>
        expected.height >> expected.width;
    CAPTURE(line.str());
    const Box box = random_resized_box(size, range, [&line] {
      double draw = 0;
      line >> draw;
      return draw / (1 << 24);
    });
    CHECK(box == expected);
    ++lines;
  }
  CHECK(lines == 120);
}

TEST_CASE("a random box lies inside the picture at the ends of the draws") {
  for (const Size size : {Size{1, 1}, Size{1, 500}, Size{500, 1}, Size{333, 500}}) {
    for (const double draw : {0.0, 0.5, 0.99999999}) {
      const Box box = random_resized_box(size, {}, [draw] { return draw; });
      CHECK(box.height >= 1);
      CHECK(box.width >= 1);
      CHECK(box.top >= 0);
      CHECK(box.left >= 0);
      CHECK(box.top + box.height <= size.height);
      CHECK(box.left + box.width <= size.width);
    }
  }
  CHECK_THROWS_AS(random_resized_box({0, 3}, {}, [] { return 0.5; }), ImageError);
}

TEST_CASE("the central box rounds halves to even") {
  CHECK(center_box({10, 10}, {4, 4}) == Box{3, 3, 4, 4});
  CHECK(center_box({5, 7}, {4, 4}) == Box{0, 2, 4, 4});
  CHECK(center_box({7, 9}, {4, 4}) == Box{2, 2, 4, 4});
  CHECK(center_box({4, 4}, {4, 4}) == Box{0, 0, 4, 4});
}

TEST_CASE("a crop larger than the picture is refused with both sizes") {
  const Picture picture = decode_file("cases/XFM-04_small.png");
  CHECK(error_of([&] {
          center_box({picture.height, picture.width}, {224, 224});
        }) ==
        "crop of 224 x 224 is larger than the picture of 32 x 32 (height x width); resize first");
  CHECK_FALSE(error_of([&] { crop_view(picture.view(), {0, 30, 4, 4}); }).empty());
  CHECK_FALSE(error_of([&] { crop_view(picture.view(), {-1, 0, 4, 4}); }).empty());
}

TEST_CASE("a crop is a view of the picture's own memory") {
  const Picture picture = pattern(9, 11, 3, 1);
  const ImageView view = crop_view(picture.view(), {2, 3, 4, 5});
  CHECK(view.row(1) == picture.view().row(3) + 9);
}

TEST_CASE("a flip mirrors every row and undoes itself") {
  for (int channels : {1, 2, 3, 4, 5}) {
    const Picture picture = pattern(7, 13, channels, 3);
    Picture once = picture;
    flip_horizontal(picture.view(), once.view());
    CHECK(once.at(6, 0, channels - 1) == picture.at(6, 12, channels - 1));
    Picture twice = picture;
    flip_horizontal(once.view(), twice.view());
    CHECK(twice.pixels == picture.pixels);
    CHECK(once.pixels != picture.pixels);
  }
  Picture other(7, 12, 3);
  CHECK_THROWS_AS(flip_horizontal(pattern(7, 13, 3, 3).view(), other.view()), ImageError);
}

TEST_CASE("float pixels are mirrored as wholes") {
  const float row[] = {1, 2, 3, 4, 5, 6};
  float flipped[6] = {};
  flip_rows(reinterpret_cast<const std::uint8_t*>(row), sizeof row, 1, 2, 12,
            reinterpret_cast<std::uint8_t*>(flipped), sizeof row);
  const float expected[] = {4, 5, 6, 1, 2, 3};
  CHECK(std::equal(expected, expected + 6, flipped));
}

}  // namespace
}  // namespace penstock::kernels::testing
