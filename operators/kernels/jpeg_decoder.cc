#include "kernels/jpeg_decoder.h"

#include <algorithm>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include <jerror.h>
#include <jpeglib.h>
}

namespace penstock::kernels {
namespace {

/// A progressive file may hold any number of tiny scans over a large picture; real ones have
/// about 10.
constexpr int kMaxScans = 500;
constexpr int kRowsPerCall = 8;

/// libjpeg's error manager with a way out: errors, and warnings unless tolerated, jump to `exit`.
struct ErrorManager {
  jpeg_error_mgr base;
  std::jmp_buf exit;
  bool tolerate_warnings;
  int warnings;
  int code;
  char text[JMSG_LENGTH_MAX];
};

ErrorManager& manager_of(j_common_ptr info) { return *reinterpret_cast<ErrorManager*>(info->err); }

[[noreturn]] void leave(j_common_ptr info) {
  ErrorManager& errors = manager_of(info);
  errors.code = errors.base.msg_code;
  errors.base.format_message(info, errors.text);
  std::longjmp(errors.exit, 1);  // NOLINT(cert-err52-cpp): the only way out of a C library
}

void on_message(j_common_ptr info, int level) {
  if (level >= 0) return;  // trace messages
  ErrorManager& errors = manager_of(info);
  ++errors.warnings;
  if (!errors.tolerate_warnings) leave(info);
}

void ignore_output(j_common_ptr) {}

void limit_scans(j_common_ptr info) {
  const auto* decompress = reinterpret_cast<j_decompress_ptr>(info);
  if (decompress->input_scan_number <= kMaxScans) return;
  ErrorManager& errors = manager_of(info);
  errors.code = JERR_BAD_PROGRESSION;
  std::snprintf(errors.text, sizeof errors.text, "more than %d scans", kMaxScans);
  std::longjmp(errors.exit, 1);  // NOLINT(cert-err52-cpp)
}

/// Calls `body` and returns true; returns false if libjpeg gave up inside. `body` must own nothing
/// that needs a destructor, and must change no local variable of its caller.
template <typename Body>
bool finishes(ErrorManager& errors, Body&& body) {
  if (setjmp(errors.exit) != 0) return false;  // NOLINT(cert-err52-cpp)
  body();
  return true;
}

bool means_truncated(int code) {
  return code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JERR_INPUT_EOF ||
         code == JERR_INPUT_EMPTY;
}

/// a * b / 255, rounded to nearest, for 8-bit a and b.
std::uint8_t multiply_unit(unsigned a, unsigned b) {
  const unsigned product = a * b + 128;
  return static_cast<std::uint8_t>((product + (product >> 8)) >> 8);
}

/// Inverted-ink CMYK, as stored, to RGB.
void cmyk_row_to_rgb(const std::uint8_t* cmyk, int width, std::uint8_t* rgb) {
  for (int x = 0; x < width; ++x, cmyk += 4, rgb += 3) {
    for (int c = 0; c < 3; ++c) rgb[c] = multiply_unit(cmyk[c], cmyk[3]);
  }
}

}  // namespace

struct JpegDecoder::Impl {
  jpeg_decompress_struct jpeg;
  ErrorManager errors;
  jpeg_progress_mgr progress;
  std::vector<std::uint8_t> cmyk;  ///< One row of four components.
  int channels = 0;                ///< Channels that the caller gets.
  bool header_read = false;

  [[noreturn]] void fail() {
    const int code = errors.code;
    const std::string detail = errors.text;
    reset();
    if (means_truncated(code)) {
      throw ImageError(ImageErrorKind::kTruncated, "truncated JPEG data: " + detail);
    }
    const bool unsupported = code == JERR_BAD_PRECISION || code == JERR_SOF_UNSUPPORTED ||
                             code == JERR_CONVERSION_NOTIMPL || code == JERR_ARITH_NOTIMPL;
    throw ImageError(unsupported ? ImageErrorKind::kUnsupported : ImageErrorKind::kCorrupt,
                     (unsupported ? "unsupported JPEG: " : "corrupt JPEG data: ") + detail);
  }

  void reset() {
    header_read = false;
    jpeg_abort_decompress(&jpeg);
  }

  void choose_output(Channels wanted) {
    channels = 3;
    switch (jpeg.jpeg_color_space) {
      case JCS_GRAYSCALE:
        channels = wanted == Channels::kRgb ? 3 : 1;
        jpeg.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
        break;
      case JCS_CMYK:
      case JCS_YCCK:
        jpeg.out_color_space = JCS_CMYK;
        break;
      case JCS_RGB:
      case JCS_YCbCr:
        jpeg.out_color_space = JCS_RGB;
        break;
      default: {
        const int components = jpeg.num_components;
        reset();
        throw ImageError(ImageErrorKind::kUnsupported,
                         "unsupported JPEG: " + std::to_string(components) +
                             " components; 1, 3 or 4 can be decoded");
      }
    }
  }

  void read_rows(const MutableImageView& out) {
    while (jpeg.output_scanline < jpeg.output_height) {
      JSAMPROW rows[kRowsPerCall];
      const int y = static_cast<int>(jpeg.output_scanline);
      const int count = std::min(kRowsPerCall, out.height - y);
      for (int i = 0; i < count; ++i) rows[i] = out.row(y + i);
      jpeg_read_scanlines(&jpeg, rows, static_cast<JDIMENSION>(count));
    }
  }

  void read_cmyk_rows(const MutableImageView& out) {
    while (jpeg.output_scanline < jpeg.output_height) {
      JSAMPROW row = cmyk.data();
      const int y = static_cast<int>(jpeg.output_scanline);
      if (jpeg_read_scanlines(&jpeg, &row, 1) == 1) cmyk_row_to_rgb(row, out.width, out.row(y));
    }
  }
};

JpegDecoder::JpegDecoder() : impl_(std::make_unique<Impl>()) {
  Impl& impl = *impl_;
  std::memset(&impl.jpeg, 0, sizeof impl.jpeg);
  std::memset(&impl.errors, 0, sizeof impl.errors);
  impl.jpeg.err = jpeg_std_error(&impl.errors.base);
  impl.errors.base.error_exit = leave;
  impl.errors.base.emit_message = on_message;
  impl.errors.base.output_message = ignore_output;
  if (!finishes(impl.errors, [&impl] { jpeg_create_decompress(&impl.jpeg); })) {
    throw ImageError(ImageErrorKind::kUnsupported,
                     std::string("libjpeg cannot be used: ") + impl.errors.text);
  }
  impl.progress = {};
  impl.progress.progress_monitor = limit_scans;
  impl.jpeg.progress = &impl.progress;
}

JpegDecoder::~JpegDecoder() { jpeg_destroy_decompress(&impl_->jpeg); }

bool JpegDecoder::filled() const { return impl_->errors.warnings > 0; }

ImageInfo JpegDecoder::read_header(std::span<const std::uint8_t> bytes,
                                   const DecodeOptions& options) {
  Impl& impl = *impl_;
  impl.reset();
  impl.errors.tolerate_warnings = options.damaged == Damaged::kFill;
  impl.errors.warnings = 0;
  const bool ok = finishes(impl.errors, [&impl, bytes] {
    jpeg_mem_src(&impl.jpeg, bytes.data(), bytes.size());
    jpeg_read_header(&impl.jpeg, TRUE);
  });
  if (!ok) impl.fail();
  if (options.channels == Channels::kIndices) {
    throw ImageError(ImageErrorKind::kUnsupported,
                     "a JPEG has no palette indices; a label mask must be a PNG");
  }
  const int height = static_cast<int>(impl.jpeg.image_height);
  const int width = static_cast<int>(impl.jpeg.image_width);
  check_pixel_limit(height, width, options.max_pixels, "JPEG picture");
  impl.choose_output(options.channels);
  impl.header_read = true;
  return {ImageFormat::kJpeg, height, width, impl.channels, 0};
}

void JpegDecoder::decode(const MutableImageView& out) {
  Impl& impl = *impl_;
  if (!impl.header_read || out.height != static_cast<int>(impl.jpeg.image_height) ||
      out.width != static_cast<int>(impl.jpeg.image_width) || out.channels != impl.channels) {
    throw ImageError(ImageErrorKind::kArgument, "the output does not have the header's sizes");
  }
  const bool from_cmyk = impl.jpeg.out_color_space == JCS_CMYK;
  if (from_cmyk) impl.cmyk.resize(static_cast<std::size_t>(out.width) * 4);
  impl.header_read = false;
  const bool ok = finishes(impl.errors, [&impl, &out, from_cmyk] {
    jpeg_start_decompress(&impl.jpeg);
    if (from_cmyk) {
      impl.read_cmyk_rows(out);
    } else {
      impl.read_rows(out);
    }
    jpeg_finish_decompress(&impl.jpeg);
  });
  if (!ok) impl.fail();
}

}  // namespace penstock::kernels
