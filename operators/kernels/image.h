#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace penstock::kernels {

/// Why a picture could not be handled.
enum class ImageErrorKind {
  kEmpty,        ///< No bytes at all.
  kUnsupported,  ///< Not a picture, or a format or variant that is not decoded here.
  kTruncated,    ///< The data ends too early.
  kCorrupt,      ///< The data contradicts itself.
  kTooLarge,     ///< More pixels than the limit allows.
  kArgument,     ///< The request itself is wrong (sizes, channels, crop outside the picture).
};

/// The one exception of the picture kernels. The text names what was found and, where there is one,
/// the remedy; it never names a file, which only the caller knows.
class ImageError : public std::runtime_error {
 public:
  ImageError(ImageErrorKind kind, const std::string& message)
      : std::runtime_error(message), kind_(kind) {}

  /// What went wrong, for policies that treat kinds differently.
  ImageErrorKind kind() const { return kind_; }

 private:
  ImageErrorKind kind_;
};

/// A rectangle in pixels; (top, left) is its first pixel.
struct Box {
  int top = 0;
  int left = 0;
  int height = 0;
  int width = 0;

  friend bool operator==(const Box&, const Box&) = default;
};

/// Read-only interleaved 8-bit picture (HWC). Rows are `row_stride` bytes apart, so that a crop is
/// only another view. Does not own its memory.
struct ImageView {
  const std::uint8_t* data = nullptr;
  int height = 0;
  int width = 0;
  int channels = 0;
  std::ptrdiff_t row_stride = 0;

  /// First byte of row `y`, 0 <= y < height.
  const std::uint8_t* row(int y) const { return data + y * row_stride; }

  /// Bytes of one row that hold pixels.
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  }
};

/// Writable interleaved 8-bit picture (HWC); see ImageView.
struct MutableImageView {
  std::uint8_t* data = nullptr;
  int height = 0;
  int width = 0;
  int channels = 0;
  std::ptrdiff_t row_stride = 0;

  /// First byte of row `y`, 0 <= y < height.
  std::uint8_t* row(int y) const { return data + y * row_stride; }

  /// Bytes of one row that hold pixels.
  std::size_t row_bytes() const {
    return static_cast<std::size_t>(width) * static_cast<std::size_t>(channels);
  }

  /// The same pixels, read-only.
  // As a pointer becomes one to const.
  operator ImageView() const {  // NOLINT(google-explicit-constructor)
    return {data, height, width, channels, row_stride};
  }
};

/// View of a picture whose rows lie without gaps.
inline ImageView packed_view(const std::uint8_t* data, int height, int width, int channels) {
  return {data, height, width, channels, static_cast<std::ptrdiff_t>(width) * channels};
}

/// Writable view of a picture whose rows lie without gaps.
inline MutableImageView packed_view(std::uint8_t* data, int height, int width, int channels) {
  return {data, height, width, channels, static_cast<std::ptrdiff_t>(width) * channels};
}

/// Default limit on the pixels of one picture: the count at which Pillow refuses to open a file.
inline constexpr std::int64_t kDefaultMaxPixels = 178'956'970;

/// Throws ImageError(kTooLarge) if height * width is above `max_pixels`; the text names the size,
/// the limit and the parameter to raise. `what` begins the text, e.g. "PNG picture".
void check_pixel_limit(std::int64_t height, std::int64_t width, std::int64_t max_pixels,
                       const char* what);

}  // namespace penstock::kernels
