#include <doctest/doctest.h>

#include <algorithm>

#include "kernels/orientation.h"
#include "test_data.h"

namespace penstock::kernels::testing {
namespace {

constexpr DecodeOptions kUnchanged{.channels = Channels::kUnchanged};
constexpr DecodeOptions kUpright{.apply_orientation = true};

bool all_equal_channels(const Picture& picture) {
  for (std::size_t i = 0; i + 2 < picture.pixels.size(); i += 3) {
    if (picture.pixels[i] != picture.pixels[i + 1] || picture.pixels[i] != picture.pixels[i + 2]) {
      return false;
    }
  }
  return true;
}

TEST_CASE("photographs and cases decode to Pillow's bytes") {
  int files = 0;
  for (std::istringstream& line : read_lines("decode.txt")) {
    int height = 0;
    int width = 0;
    std::string expected;
    std::string name;
    line >> height >> width >> expected >> name;
    CAPTURE(name);
    const Picture picture = decode_file(name);
    CHECK(picture.height == height);
    CHECK(picture.width == width);
    CHECK(picture.channels == 3);
    CHECK(picture.digest() == expected);
    ++files;
  }
  CHECK(files == 45);
}

TEST_CASE("four inverted ink components become rgb") {
  const Picture picture = decode_file("cases/IMG-01_cmyk_adobe.jpg");
  CHECK(picture.channels == 3);
  CHECK(decode_file("cases/IMG-01_cmyk_adobe.jpg", kUnchanged).digest() == picture.digest());
}

TEST_CASE("a gray JPEG is repeated for rgb and kept when unchanged") {
  const Picture rgb = decode_file("cases/IMG-04_gray.jpg");
  CHECK(rgb.channels == 3);
  CHECK(all_equal_channels(rgb));
  const Picture gray = decode_file("cases/IMG-04_gray.jpg", kUnchanged);
  CHECK(gray.channels == 1);
  CHECK(gray.at(0, 0, 0) == rgb.at(0, 0, 1));
  const std::uint8_t corners[] = {gray.at(4, 4, 0), gray.at(4, 40, 0), gray.at(28, 4, 0),
                                  gray.at(28, 40, 0)};
  const int expected[] = {10, 90, 170, 250};
  for (int i = 0; i < 4; ++i) CHECK(std::abs(corners[i] - expected[i]) <= 1);
}

TEST_CASE("16 bits are scaled and not clipped") {
  const Picture picture = decode_file("cases/IMG-06_gray16.png");
  const int expected[] = {0, 16, 128, 255};
  for (int x : {0, 1, 2, 3}) {
    int columns_per_value = picture.width / 4;
    CHECK(picture.at(0, x * columns_per_value, 0) == expected[x]);
  }
}

TEST_CASE("a palette gives colours in exactly three channels, indices only on request") {
  const Picture colours = decode_file("cases/IMG-09_palette4.png");
  CHECK(colours.channels == 3);
  const DecodeOptions as_indices{.channels = Channels::kIndices};
  const Picture indices = decode_file("cases/IMG-09_palette4.png", as_indices);
  CHECK(indices.channels == 1);
  CHECK(*std::max_element(indices.pixels.begin(), indices.pixels.end()) == 3);
  CHECK(decode_file("cases/IMG-08_palette_trns.png").channels == 3);
  CHECK(decode_file("cases/IMG-08_palette_trns.png", kUnchanged).channels == 3);
  CHECK(error_of([&] { decode_file("cases/IMG-04_gray.jpg", as_indices); }).find("must be a PNG") !=
        std::string::npos);
  CHECK(error_of([&] {
          decode_file("cases/IMG-11_rgba_hidden.png", as_indices);
        }).find("not palette indices") != std::string::npos);
}

TEST_CASE("interlaced and plain twins are equal") {
  CHECK(decode_file("cases/IMG-10_adam7.png").digest() ==
        decode_file("cases/IMG-10_plain_twin.png").digest());
}

TEST_CASE("alpha is dropped and hidden colours stay") {
  const Picture rgb = decode_file("cases/IMG-11_rgba_hidden.png");
  CHECK(rgb.channels == 3);
  CHECK(rgb.at(0, 0, 0) == 10);
  CHECK(rgb.at(0, 0, 1) == 200);
  CHECK(rgb.at(0, rgb.width - 1, 0) == 250);
  CHECK(rgb.at(0, rgb.width - 1, 1) == 0);
  const Picture rgba = decode_file("cases/IMG-11_rgba_hidden.png", kUnchanged);
  CHECK(rgba.channels == 4);
  CHECK(rgba.at(0, 0, 3) == 255);
  CHECK(rgba.at(0, rgba.width - 1, 3) == 0);
}

TEST_CASE("orientation is told always and applied on request") {
  const Picture stored = decode_file("cases/IMG-14_exif_1.jpg");
  ImageDecoder decoder;
  for (int orientation : {1, 3, 6, 8}) {
    const std::string name = "cases/IMG-14_exif_" + std::to_string(orientation) + ".jpg";
    CAPTURE(name);
    const Bytes bytes = read_bytes(name);
    CHECK(decoder.read_header(bytes, {}).orientation == orientation);
    CHECK(decode(bytes).digest() == stored.digest());
    const Picture upright = decode(bytes, kUpright);
    CHECK(upright.width == (orientation >= 6 ? stored.height : stored.width));
    Picture expected(upright.height, upright.width, 3);
    apply_orientation(stored.view(), orientation, expected.view());
    CHECK(upright.digest() == expected.digest());
  }
  // Orientation 6 is shown turned clockwise: the stored lower left corner comes to the upper left.
  const Picture six = decode_file("cases/IMG-14_exif_6.jpg", kUpright);
  for (int c = 0; c < 3; ++c) CHECK(six.at(0, 0, c) == stored.at(stored.height - 1, 0, c));
  const Picture eight = decode_file("cases/IMG-14_exif_8.jpg", kUpright);
  for (int c = 0; c < 3; ++c) CHECK(eight.at(0, 0, c) == stored.at(0, stored.width - 1, c));
}

TEST_CASE("each orientation moves the corners as EXIF says") {
  Picture stored(2, 3, 1);
  stored.pixels = {1, 2, 3, 4, 5, 6};
  const Bytes expected[] = {{},
                            {1, 2, 3, 4, 5, 6},
                            {3, 2, 1, 6, 5, 4},
                            {6, 5, 4, 3, 2, 1},
                            {4, 5, 6, 1, 2, 3},
                            {1, 4, 2, 5, 3, 6},
                            {4, 1, 5, 2, 6, 3},
                            {6, 3, 5, 2, 4, 1},
                            {3, 6, 2, 5, 1, 4}};
  for (int orientation = 1; orientation <= 8; ++orientation) {
    CAPTURE(orientation);
    const bool swaps = swaps_sides(orientation);
    Picture upright(swaps ? 3 : 2, swaps ? 2 : 3, 1);
    apply_orientation(stored.view(), orientation, upright.view());
    CHECK(upright.pixels == expected[orientation]);
  }
}

TEST_CASE("restart markers and progressive scans change nothing") {
  const std::string twin = decode_file("cases/IMG-19_plain_twin.jpg").digest();
  CHECK(decode_file("cases/IMG-19_restart.jpg").digest() == twin);
  CHECK(decode_file("cases/IMG-28_progressive.jpg").digest() == twin);
}

TEST_CASE("the format comes from the content") {
  ImageDecoder decoder;
  const Bytes bytes = read_bytes("cases/IMG-20_really_a_png.JPEG");
  CHECK(decoder.read_header(bytes, {}).format == ImageFormat::kPng);
}

TEST_CASE("the pixel limit is checked from the header") {
  const Bytes bomb = read_bytes("cases/IMG-25_bomb.png");
  ImageDecoder decoder;
  CHECK(error_of([&] { decoder.read_header(bomb, {}); }) ==
        "PNG picture of 20000 x 20000 pixels (width x height) is above the limit of 178956970 "
        "pixels; raise max_pixels to allow it");
  const DecodeOptions small{.max_pixels = 48 * 32 - 1};
  CHECK(error_of([&] {
          decode_file("cases/IMG-04_gray.jpg", small);
        }).find("above the limit of 1535 pixels") != std::string::npos);
  const DecodeOptions enough{.max_pixels = 48 * 32};
  CHECK(decode_file("cases/IMG-04_gray.jpg", enough).width == 48);
}

TEST_CASE("an output of other sizes is refused") {
  ImageDecoder decoder;
  Picture picture(2, 2, 3);
  CHECK_THROWS_AS(decoder.decode(picture.view()), ImageError);
  for (const char* name : {"cases/IMG-04_gray.jpg", "cases/IMG-10_adam7.png"}) {
    const Bytes bytes = read_bytes(name);
    decoder.read_header(bytes, {});
    CHECK_THROWS_AS(decoder.decode(picture.view()), ImageError);
  }
}

TEST_CASE("rows of the output may be apart") {
  const Bytes bytes = read_bytes("cases/IMG-10_adam7.png");
  const Picture whole = decode(bytes);
  ImageDecoder decoder;
  decoder.read_header(bytes, {});
  Picture wide(whole.height, whole.width + 5, 3);
  MutableImageView view = wide.view();
  view.width = whole.width;
  decoder.decode(view);
  for (int y = 0; y < whole.height; ++y) {
    CHECK(std::equal(view.row(y), view.row(y) + view.row_bytes(), whole.view().row(y)));
    CHECK(wide.at(y, whole.width, 0) == 0);
  }
}

}  // namespace
}  // namespace penstock::kernels::testing
