#include "kernels/image_format.h"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace penstock::kernels {
namespace {

using Bytes = std::span<const std::uint8_t>;

bool starts_with(Bytes bytes, std::string_view prefix, std::size_t at = 0) {
  return bytes.size() >= at + prefix.size() &&
         std::memcmp(bytes.data() + at, prefix.data(), prefix.size()) == 0;
}

bool looks_like_text(Bytes bytes) {
  const Bytes head = bytes.first(std::min<std::size_t>(bytes.size(), 64));
  return std::all_of(head.begin(), head.end(), [](std::uint8_t b) {
    return b == '\t' || b == '\n' || b == '\r' || (b >= 0x20 && b != 0x7f);
  });
}

std::string hex_head(Bytes bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::uint8_t b : bytes.first(std::min<std::size_t>(bytes.size(), 4))) {
    if (!text.empty()) text += ' ';
    text += kDigits[b >> 4];
    text += kDigits[b & 15];
  }
  return text;
}

/// Position behind a chain of GIF sub-blocks (length byte, data, ... , 0).
std::size_t skip_gif_sub_blocks(Bytes bytes, std::size_t at) {
  while (at < bytes.size() && bytes[at] != 0) at += 1u + bytes[at];
  return at + 1;
}

/// Bytes of a GIF colour table, from the flags byte that announces it.
std::size_t gif_colour_table(std::uint8_t flags) {
  return (flags & 0x80) != 0 ? std::size_t{3} << ((flags & 7) + 1) : 0;
}

}  // namespace

ImageFormat sniff_format(Bytes bytes) {
  if (bytes.empty()) return ImageFormat::kEmpty;
  if (starts_with(bytes, "\xff\xd8\xff")) return ImageFormat::kJpeg;
  if (starts_with(bytes, "\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  if (starts_with(bytes, "GIF87a") || starts_with(bytes, "GIF89a")) return ImageFormat::kGif;
  if (starts_with(bytes, "RIFF") && starts_with(bytes, "WEBP", 8)) return ImageFormat::kWebp;
  if (starts_with(bytes, {"II*\0", 4}) || starts_with(bytes, {"MM\0*", 4})) {
    return ImageFormat::kTiff;
  }
  // "BM" alone is too little; the four bytes at 6 are reserved zeros in every BMP.
  if (starts_with(bytes, "BM") && starts_with(bytes, {"\0\0\0\0", 4}, 6)) return ImageFormat::kBmp;
  return looks_like_text(bytes) ? ImageFormat::kText : ImageFormat::kUnknown;
}

std::string describe_unsupported(ImageFormat format, Bytes bytes) {
  constexpr std::string_view kRemedy = "; convert it to JPEG or PNG";
  const std::string size = std::to_string(bytes.size()) + " bytes";
  const auto named = [&](const char* name) {
    return std::string("format ") + name + " is not supported (" + size + ")" +
           std::string(kRemedy);
  };
  switch (format) {
    case ImageFormat::kEmpty:
      return "the picture is empty (0 bytes)";
    case ImageFormat::kText:
      return "not an image (looks like HTML/text, " + size + ")";
    case ImageFormat::kGif: {
      const int frames = count_gif_frames(bytes);
      const std::string what =
          frames == 1 ? "GIF, 1 frame" : "animated GIF, " + std::to_string(frames) + " frames";
      return what + ": format GIF is not supported" + std::string(kRemedy);
    }
    case ImageFormat::kBmp:
      return named("BMP");
    case ImageFormat::kTiff:
      return named("TIFF");
    case ImageFormat::kWebp:
      return named("WebP");
    case ImageFormat::kJpeg:
    case ImageFormat::kPng:
      return "the format is supported";
    case ImageFormat::kUnknown:
      break;
  }
  return "unknown format (" + size + ", starts with " + hex_head(bytes) + ")";
}

int count_gif_frames(Bytes bytes) {
  constexpr std::size_t kHeader = 13;
  constexpr std::size_t kDescriptor = 10;
  if (bytes.size() < kHeader) return 0;
  std::size_t at = kHeader + gif_colour_table(bytes[10]);
  int frames = 0;
  while (at < bytes.size()) {
    if (bytes[at] == 0x21) {  // extension: introducer, label, sub-blocks
      at = skip_gif_sub_blocks(bytes, at + 2);
    } else if (bytes[at] == 0x2c && at + kDescriptor <= bytes.size()) {
      ++frames;  // descriptor, local colour table, LZW code size, sub-blocks
      at = skip_gif_sub_blocks(bytes, at + kDescriptor + gif_colour_table(bytes[at + 9]) + 1);
    } else {
      break;
    }
  }
  return frames;
}

}  // namespace penstock::kernels
