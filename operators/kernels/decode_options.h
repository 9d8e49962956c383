#pragma once

#include <cstdint>

#include "kernels/image.h"
#include "kernels/image_format.h"

namespace penstock::kernels {

/// Which channels a decoded picture has.
enum class Channels {
  kRgb,        ///< Always 3: gray is repeated, a palette gives its colours, alpha is dropped.
  kUnchanged,  ///< 1 for gray, 3 for colour and palettes, 2 and 4 where a PNG stores alpha.
  kIndices,    ///< 1: palette indices or gray samples of a PNG as stored (label masks).
};

/// What to do with data that is cut or damaged but still gives some pixels.
enum class Damaged {
  kError,  ///< Every warning of the codec about the data is an error.
  kFill,   ///< Keep what the codec makes of it: libjpeg fills a cut JPEG with gray.
};

/// How one picture is decoded.
struct DecodeOptions {
  Channels channels = Channels::kRgb;
  Damaged damaged = Damaged::kError;
  /// Turn the picture as its EXIF orientation says. Off by default, as in Pillow's open and in
  /// torchvision's decoders.
  bool apply_orientation = false;
  /// Checked against the header before any pixel memory is asked for.
  std::int64_t max_pixels = kDefaultMaxPixels;
};

/// What the header tells, and so the size of the output to provide.
struct ImageInfo {
  ImageFormat format = ImageFormat::kUnknown;
  int height = 0;       ///< Rows of the decoded picture.
  int width = 0;        ///< Columns of the decoded picture.
  int channels = 0;     ///< Channels of the decoded picture.
  int orientation = 0;  ///< EXIF orientation found, 1 to 8; 0 for none. Applied only on request.
};

}  // namespace penstock::kernels
