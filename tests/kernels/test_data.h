#pragma once

#include <xxhash.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/image_decoder.h"

namespace penstock::kernels::testing {

using Bytes = std::vector<std::uint8_t>;

/// The folder tests/data.
inline std::filesystem::path data_folder() {
#ifdef PENSTOCK_TEST_DATA
  return PENSTOCK_TEST_DATA;
#else
  return std::filesystem::path(__FILE__).parent_path().parent_path() / "data";
#endif
}

/// A file under tests/data.
inline Bytes read_bytes(const std::string& name) {
  std::ifstream file(data_folder() / name, std::ios::binary);
  if (!file) throw std::runtime_error("no test file " + name);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

/// The lines of a file of tests/data/expected, without comments.
inline std::vector<std::istringstream> read_lines(const std::string& name) {
  std::ifstream file(data_folder() / "expected" / name);
  if (!file) throw std::runtime_error("no expected values in " + name);
  std::vector<std::istringstream> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with('#')) lines.emplace_back(line);
  }
  return lines;
}

/// XXH3 of memory as 16 hexadecimal digits.
inline std::string digest(const void* data, std::size_t bytes) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(data, bytes)));
  return text;
}

/// A picture with its memory.
struct Picture {
  int height = 0;
  int width = 0;
  int channels = 0;
  Bytes pixels;

  Picture() = default;
  Picture(int h, int w, int c)
      : height(h),
        width(w),
        channels(c),
        pixels(static_cast<std::size_t>(h) * static_cast<std::size_t>(w) *
               static_cast<std::size_t>(c)) {}

  MutableImageView view() { return packed_view(pixels.data(), height, width, channels); }
  ImageView view() const { return packed_view(pixels.data(), height, width, channels); }
  std::string digest() const { return testing::digest(pixels.data(), pixels.size()); }
  std::uint8_t at(int y, int x, int c) const { return view().row(y)[x * channels + c]; }
};

/// Decodes bytes with an object that the whole thread shares, as a slot does.
inline Picture decode(const Bytes& bytes, const DecodeOptions& options = {}) {
  thread_local ImageDecoder decoder;
  const ImageInfo info = decoder.read_header(bytes, options);
  Picture picture(info.height, info.width, info.channels);
  decoder.decode(picture.view());
  return picture;
}

/// Decodes a file under tests/data.
inline Picture decode_file(const std::string& name, const DecodeOptions& options = {}) {
  return decode(read_bytes(name), options);
}

/// The text of the ImageError that `call` throws; "" if it throws none.
template <typename Call>
std::string error_of(Call&& call) {
  try {
    call();
  } catch (const ImageError& error) {
    return error.what();
  }
  return "";
}

/// The pseudo-random picture of make_expected.py.
inline Picture pattern(int height, int width, int channels, std::uint32_t seed) {
  Picture picture(height, width, channels);
  for (std::uint32_t i = 0; i < picture.pixels.size(); ++i) {
    std::uint32_t x = i * 2654435761u + seed * 40503u;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    picture.pixels[i] = static_cast<std::uint8_t>(x);
  }
  return picture;
}

/// The elements of a small uint8 .npy file (version 1) under tests/data.
inline Bytes read_npy(const std::string& name) {
  const Bytes file = read_bytes(name);
  const std::size_t header = 10 + file.at(8) + 256u * file.at(9);
  return Bytes(file.begin() + static_cast<std::ptrdiff_t>(header), file.end());
}

}  // namespace penstock::kernels::testing
