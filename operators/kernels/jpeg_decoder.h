#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "kernels/decode_options.h"

namespace penstock::kernels {

/// Decodes JPEG with libjpeg-turbo's default settings (accurate integer DCT, smooth upsampling),
/// which are Pillow's. One object serves one thread at a time and is reused from picture to
/// picture.
///
/// Four components are taken as inverted ink (Adobe's convention, which Pillow also assumes with or
/// without the Adobe marker): R = (255 - C) (255 - K) / 255, rounded.
class JpegDecoder {
 public:
  JpegDecoder();
  ~JpegDecoder();
  JpegDecoder(const JpegDecoder&) = delete;
  JpegDecoder& operator=(const JpegDecoder&) = delete;

  /// Reads the header and checks the pixel limit. `bytes` must stay valid until decode() returned.
  /// Throws ImageError.
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
