#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace penstock::kernels {

/// What the first bytes of a file say that it is.
enum class ImageFormat { kUnknown, kEmpty, kJpeg, kPng, kGif, kBmp, kTiff, kWebp, kText };

/// Finds the format from the content; a file's name is never asked.
ImageFormat sniff_format(std::span<const std::uint8_t> bytes);

/// One sentence saying why bytes of this format are not decoded: the format's name, the size in
/// bytes, the first four bytes of an unknown format, the number of frames of a GIF.
std::string describe_unsupported(ImageFormat format, std::span<const std::uint8_t> bytes);

/// Number of frames in a GIF, found by walking its blocks without decoding; counts what is there
/// when the file is cut.
int count_gif_frames(std::span<const std::uint8_t> bytes);

/// EXIF orientation (1 to 8, TIFF 6.0 tag 0x0112) of a JPEG (APP1) or PNG (eXIf chunk); 0 when
/// there is no valid tag. Never reads out of bounds and never throws.
int find_exif_orientation(ImageFormat format, std::span<const std::uint8_t> bytes);

}  // namespace penstock::kernels
