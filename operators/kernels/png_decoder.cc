#include "kernels/png_decoder.h"

#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>

namespace penstock::kernels {

struct PngDecoder::Impl {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::span<const std::uint8_t> rest;  ///< What libpng has not consumed yet.
  std::jmp_buf exit;
  bool truncated = false;
  Damaged damaged = Damaged::kError;
  bool filled = false;
  char text[256] = {};
  int height = 0;
  int width = 0;
  int channels = 0;
  bool header_read = false;

  ~Impl() { reset(); }

  void reset() {
    header_read = false;
    png_destroy_read_struct(&png, &info, nullptr);
  }

  [[noreturn]] void fail() {
    reset();
    if (truncated) {
      throw ImageError(ImageErrorKind::kTruncated, std::string("truncated PNG data: ") + text);
    }
    throw ImageError(ImageErrorKind::kCorrupt, std::string("corrupt PNG data: ") + text);
  }

  static Impl& of(png_structp png) { return *static_cast<Impl*>(png_get_error_ptr(png)); }

  [[noreturn]] static void on_error(png_structp png, png_const_charp message) {
    Impl& impl = of(png);
    std::snprintf(impl.text, sizeof impl.text, "%s", message);
    std::longjmp(impl.exit, 1);  // NOLINT(cert-err52-cpp): the only way out of a C library
  }

  static void on_warning(png_structp, png_const_charp) {}

  static void read_bytes(png_structp png, png_bytep to, std::size_t count) {
    Impl& impl = of(png);
    if (count > impl.rest.size()) {
      impl.truncated = true;
      png_error(png, "the file ends too early");
    }
    std::memcpy(to, impl.rest.data(), count);
    impl.rest = impl.rest.subspan(count);
  }

  /// Calls `body` and returns true; returns false if libpng gave up inside. `body` must own nothing
  /// that needs a destructor, and must change no local variable of its caller.
  template <typename Body>
  bool finishes(Body&& body) {
    if (setjmp(exit) != 0) return false;  // NOLINT(cert-err52-cpp)
    body();
    return true;
  }

  void begin() {
    // Our own limit on pixels is checked right after the header; libpng's on each side is not
    // needed.
    constexpr png_uint_32 kMaxSide = 0x7fffffff;
    png_set_user_limits(png, kMaxSide, kMaxSide);
    // Ignore all ancillary chunks but transparency: colour profiles and text are never wanted.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_set_read_fn(png, this,
                    [](png_structp p, png_bytep to, std::size_t n) { read_bytes(p, to, n); });
    png_read_info(png, info);
  }

  void choose_output(Channels wanted) {
    const int colour = png_get_color_type(png, info);
    if (png_get_bit_depth(png, info) == 16) png_set_scale_16(png);
    if (wanted == Channels::kIndices) {
      png_set_packing(png);
    } else {
      png_set_expand(png);  // palette to colours, gray below 8 bits to 8, transparency to alpha
      if (wanted == Channels::kRgb || (colour & PNG_COLOR_MASK_ALPHA) == 0) {
        png_set_strip_alpha(png);
      }
      if (wanted == Channels::kRgb) png_set_gray_to_rgb(png);
    }
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    channels = png_get_channels(png, info);
  }

  void read_rows(const MutableImageView& out) {
    const int passes = png_get_interlace_type(png, info) == PNG_INTERLACE_ADAM7 ? 7 : 1;
    for (int pass = 0; pass < passes; ++pass) {
      for (int y = 0; y < height; ++y) png_read_row(png, out.row(y), nullptr);
    }
    png_read_end(png, nullptr);
  }
};

PngDecoder::PngDecoder() : impl_(std::make_unique<Impl>()) {}
PngDecoder::~PngDecoder() = default;

bool PngDecoder::filled() const { return impl_->filled; }

ImageInfo PngDecoder::read_header(std::span<const std::uint8_t> bytes,
                                  const DecodeOptions& options) {
  Impl& impl = *impl_;
  impl.reset();
  impl.rest = bytes;
  impl.truncated = false;
  impl.filled = false;
  impl.damaged = options.damaged;
  impl.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &impl, Impl::on_error, Impl::on_warning);
  if (impl.png != nullptr) impl.info = png_create_info_struct(impl.png);
  if (impl.info == nullptr) throw ImageError(ImageErrorKind::kUnsupported, "libpng cannot be used");
  if (!impl.finishes([&impl] { impl.begin(); })) impl.fail();
  const std::int64_t height = png_get_image_height(impl.png, impl.info);
  const std::int64_t width = png_get_image_width(impl.png, impl.info);
  check_pixel_limit(height, width, options.max_pixels, "PNG picture");
  const int colour = png_get_color_type(impl.png, impl.info);
  if (options.channels == Channels::kIndices && colour != PNG_COLOR_TYPE_PALETTE &&
      colour != PNG_COLOR_TYPE_GRAY) {
    throw ImageError(ImageErrorKind::kUnsupported,
                     "the PNG holds colours, not palette indices or gray labels");
  }
  const Channels wanted = options.channels;
  if (!impl.finishes([&impl, wanted] { impl.choose_output(wanted); })) impl.fail();
  impl.height = static_cast<int>(height);
  impl.width = static_cast<int>(width);
  impl.header_read = true;
  return {ImageFormat::kPng, impl.height, impl.width, impl.channels, 0};
}

void PngDecoder::decode(const MutableImageView& out) {
  Impl& impl = *impl_;
  if (!impl.header_read || out.height != impl.height || out.width != impl.width ||
      out.channels != impl.channels) {
    throw ImageError(ImageErrorKind::kArgument, "the output does not have the header's sizes");
  }
  impl.header_read = false;
  if (impl.damaged == Damaged::kFill) {
    for (int y = 0; y < out.height; ++y) std::memset(out.row(y), 0, out.row_bytes());
  }
  if (!impl.finishes([&impl, &out] { impl.read_rows(out); })) {
    if (impl.damaged == Damaged::kError) impl.fail();
    impl.filled = true;
  }
  impl.reset();
}

}  // namespace penstock::kernels
