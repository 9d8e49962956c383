#include <doctest/doctest.h>

#include <random>

#include "test_data.h"

namespace penstock::kernels::testing {
namespace {

constexpr DecodeOptions kFill{.damaged = Damaged::kFill};

std::string decode_error(const Bytes& bytes, const DecodeOptions& options = {}) {
  return error_of([&] { decode(bytes, options); });
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Bytes in a heap block of exactly their size, so that a sanitizer sees every read behind them.
Bytes exact(const Bytes& bytes, std::size_t count) {
  return Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(count));
}

TEST_CASE("cut files are errors that say truncated") {
  CHECK(contains(decode_error(read_bytes("cases/IMG-16_truncated.jpg")), "truncated"));
  CHECK(contains(decode_error(read_bytes("cases/IMG-16_truncated.png")), "truncated"));
}

TEST_CASE("cut files are filled on request only, and counted") {
  for (const auto& [name, cut] : {std::pair("cases/IMG-16_truncated.jpg", true),
                                  {"cases/IMG-16_truncated.png", true},
                                  {"cases/IMG-14_exif_6.jpg", false},
                                  {"cases/IMG-13_bad_iccp.png", false}}) {
    CAPTURE(name);
    const Bytes bytes = read_bytes(name);
    ImageDecoder decoder;
    const ImageInfo info = decoder.read_header(bytes, kFill);
    Picture picture(info.height, info.width, info.channels);
    decoder.decode(picture.view());
    CHECK(decoder.filled() == cut);
  }
}

TEST_CASE("a faulty colour profile is ignored") {
  CHECK(decode_file("cases/IMG-13_bad_iccp.png").digest() ==
        decode_file("cases/IMG-13_garbage_iccp.png").digest());
}

TEST_CASE("what is not a picture is named") {
  CHECK(decode_error(read_bytes("cases/IMG-21_empty.jpg")) == "the picture is empty (0 bytes)");
  CHECK(decode_error(read_bytes("cases/IMG-21_zeros.jpg")) ==
        "unknown format (4096 bytes, starts with 00 00 00 00)");
  CHECK(decode_error(read_bytes("cases/IMG-22_html.jpg")) ==
        "not an image (looks like HTML/text, 88 bytes)");
  CHECK(decode_error(read_bytes("cases/IMG-22_bmp.jpg")) ==
        "format BMP is not supported (4662 bytes); convert it to JPEG or PNG");
  for (const char* name : {"cases/IMG-23_animated.gif", "cases/IMG-23_animated_named.jpg"}) {
    CHECK(decode_error(read_bytes(name)) ==
          "animated GIF, 3 frames: format GIF is not supported; convert it to JPEG or PNG");
  }
  CHECK(contains(decode_error({'I', 'I', '*', 0, 1, 2}), "TIFF"));
  CHECK(contains(decode_error({'R', 'I', 'F', 'F', 0, 0, 0, 0, 'W', 'E', 'B', 'P'}), "WebP"));
}

TEST_CASE("bytes between scan and end of a JPEG are an error, or a warning") {
  Bytes bytes = read_bytes("cases/IMG-04_gray.jpg");
  const Bytes extra{0x12, 0x34, 0x56};
  bytes.insert(bytes.end() - 2, extra.begin(), extra.end());
  CHECK(contains(decode_error(bytes), "extraneous"));
  CHECK(decode_error(bytes, kFill).empty());
}

TEST_CASE("bytes behind the end of a picture do no harm") {
  for (const char* name : {"cases/IMG-04_gray.jpg", "cases/IMG-10_adam7.png"}) {
    Bytes bytes = read_bytes(name);
    const std::string expected = decode(bytes).digest();
    bytes.insert(bytes.end(), 100, std::uint8_t{0});
    CHECK(decode(bytes).digest() == expected);
  }
}

TEST_CASE("every prefix is an error and leaves the decoder usable") {
  for (const char* name :
       {"cases/IMG-19_restart.jpg", "cases/IMG-28_progressive.jpg", "cases/IMG-01_cmyk_adobe.jpg",
        "cases/IMG-14_exif_6.jpg", "cases/IMG-10_adam7.png", "cases/IMG-08_palette_trns.png",
        "cases/XFM-04_small.png", "photos/snail/snail-4291306.jpg"}) {
    CAPTURE(name);
    const Bytes whole = read_bytes(name);
    const std::string expected = decode(whole).digest();
    for (std::size_t i = 0; i < 64; ++i) {
      const Bytes cut = exact(whole, whole.size() * i / 64);
      CHECK_FALSE(decode_error(cut).empty());
      decode_error(cut, kFill);
      decode_error(cut, {.apply_orientation = true});
    }
    CHECK(decode(whole).digest() == expected);
  }
}

TEST_CASE("random damage never crashes") {
  std::mt19937 random(20);
  for (const char* name :
       {"cases/IMG-19_restart.jpg", "cases/IMG-28_progressive.jpg", "cases/IMG-01_cmyk_adobe.jpg",
        "cases/IMG-14_exif_6.jpg", "cases/IMG-10_adam7.png", "cases/IMG-08_palette_trns.png",
        "cases/IMG-11_rgba_hidden.png", "cases/IMG-13_bad_iccp.png", "cases/IMG-23_animated.gif"}) {
    CAPTURE(name);
    const Bytes whole = read_bytes(name);
    for (int round = 0; round < 400; ++round) {
      Bytes bytes = whole;
      const unsigned flips = 1 + random() % 6;
      for (unsigned i = 0; i < flips; ++i) {
        bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1u << random() % 8);
      }
      const DecodeOptions options{.channels = static_cast<Channels>(random() % 3),
                                  .damaged = random() % 2 == 0 ? Damaged::kError : Damaged::kFill,
                                  .apply_orientation = random() % 2 == 0,
                                  .max_pixels = 1'000'000};
      decode_error(bytes, options);
    }
  }
  CHECK(decode_file("cases/IMG-10_adam7.png").width == 19);
}

TEST_CASE("a GIF cut anywhere still has a count") {
  const Bytes whole = read_bytes("cases/IMG-23_animated.gif");
  CHECK(count_gif_frames(whole) == 3);
  int last = 0;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Bytes cut = exact(whole, size);
    const int frames = count_gif_frames(cut);
    CHECK(frames >= last);
    last = frames;
  }
}

}  // namespace
}  // namespace penstock::kernels::testing
