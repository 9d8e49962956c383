#include <cstring>
#include <string_view>

#include "kernels/image_format.h"

namespace penstock::kernels {
namespace {

using Bytes = std::span<const std::uint8_t>;

/// Unsigned integer of `width` bytes at `at`; 0 beyond the end.
std::uint32_t read_uint(Bytes bytes, std::size_t at, int width, bool big_endian) {
  if (at > bytes.size() || bytes.size() - at < static_cast<std::size_t>(width)) return 0;
  std::uint32_t value = 0;
  for (int i = 0; i < width; ++i) {
    const int from = big_endian ? i : width - 1 - i;
    value = value << 8 | bytes[at + static_cast<std::size_t>(from)];
  }
  return value;
}

/// Orientation from a TIFF header and its first directory (TIFF 6.0, section 2).
int orientation_from_tiff(Bytes tiff) {
  if (tiff.size() < 8) return 0;
  const bool big_endian = tiff[0] == 'M';
  if (tiff[0] != tiff[1] || (tiff[0] != 'M' && tiff[0] != 'I')) return 0;
  if (read_uint(tiff, 2, 2, big_endian) != 42) return 0;
  const std::size_t directory = read_uint(tiff, 4, 4, big_endian);
  const std::uint32_t entries = read_uint(tiff, directory, 2, big_endian);
  for (std::uint32_t i = 0; i < entries; ++i) {
    const std::size_t entry = directory + 2 + std::size_t{12} * i;
    if (entry + 12 > tiff.size()) return 0;
    constexpr std::uint32_t kOrientationTag = 0x0112;
    constexpr std::uint32_t kShort = 3;
    if (read_uint(tiff, entry, 2, big_endian) != kOrientationTag) continue;
    if (read_uint(tiff, entry + 2, 2, big_endian) != kShort) return 0;
    const std::uint32_t value = read_uint(tiff, entry + 8, 2, big_endian);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : 0;
  }
  return 0;
}

/// Walks the segments in front of the first scan (ITU-T T.81, B.1.1).
int orientation_of_jpeg(Bytes bytes) {
  constexpr std::string_view kExif{"Exif\0\0", 6};
  std::size_t at = 2;
  while (at + 4 <= bytes.size() && bytes[at] == 0xff) {
    const std::uint8_t marker = bytes[at + 1];
    if (marker == 0xff) {  // fill byte
      ++at;
      continue;
    }
    if (marker == 0xda || marker == 0xd9) break;  // start of scan, end of image
    const bool bare = marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    if (bare) {
      at += 2;
      continue;
    }
    const std::size_t length = read_uint(bytes, at + 2, 2, true);
    if (length < 2 || bytes.size() - at - 2 < length) break;
    const Bytes body = bytes.subspan(at + 4, length - 2);
    if (marker == 0xe1 && body.size() > kExif.size() &&
        std::memcmp(body.data(), kExif.data(), kExif.size()) == 0) {
      return orientation_from_tiff(body.subspan(kExif.size()));
    }
    at += 2 + length;
  }
  return 0;
}

/// Walks the chunks (PNG specification, third edition, 11.3.3.3 eXIf).
int orientation_of_png(Bytes bytes) {
  std::size_t at = 8;
  while (at + 12 <= bytes.size()) {
    const std::size_t length = read_uint(bytes, at, 4, true);
    if (length > bytes.size() - at - 12) break;
    if (std::memcmp(bytes.data() + at + 4, "eXIf", 4) == 0) {
      return orientation_from_tiff(bytes.subspan(at + 8, length));
    }
    at += 12 + length;
  }
  return 0;
}

}  // namespace

int find_exif_orientation(ImageFormat format, Bytes bytes) {
  if (format == ImageFormat::kJpeg) return orientation_of_jpeg(bytes);
  if (format == ImageFormat::kPng) return orientation_of_png(bytes);
  return 0;
}

}  // namespace penstock::kernels
