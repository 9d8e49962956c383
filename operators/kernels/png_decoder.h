#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/decode_options.h"

namespace penstock::kernels {

/// Decodes PNG with libpng to 8 bits a sample: palettes to their colours, 16 bits scaled
/// (v * 255 / 65535, rounded), interlaced or not. Alpha and transparency tables are dropped when
/// rgb is asked for: the stored colours stay as they are, with no background mixed in (Pillow's
/// convert does the same). No gamma or colour-profile correction; ancillary chunks are not even
/// parsed, so faulty ones do no harm. One object serves one thread at a time.
class PngDecoder {
 public:
  PngDecoder();
  ~PngDecoder();
  PngDecoder(const PngDecoder&) = delete;
  PngDecoder& operator=(const PngDecoder&) = delete;

  /// Reads everything in front of the pixels and checks the pixel limit. `bytes` must stay valid
  /// until decode() returned. Throws ImageError.
  ImageInfo read_header(std::span<const std::uint8_t> bytes, const DecodeOptions& options);

  /// Decodes the picture whose header was read last into `out`, which has exactly the sizes of that
  /// header. Throws ImageError; what `out` then holds is unspecified. Needs a new read_header()
  /// afterwards.
  void decode(const MutableImageView& out);

  /// Whether the last picture was damaged and kept: only with Damaged::kFill.
  bool filled() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace penstock::kernels
