#pragma once

#include <cstddef>

namespace penstock::kernels {

/// A picture of elements T in any order of its axes; strides count elements. Does not own memory.
template <typename T>
struct Strided {
  T* data = nullptr;
  int channels = 0;
  int height = 0;
  int width = 0;
  std::ptrdiff_t channel_stride = 0;
  std::ptrdiff_t row_stride = 0;
  std::ptrdiff_t column_stride = 0;

  /// First element of row `y` of channel `c`.
  T* row(int c, int y) const { return data + c * channel_stride + y * row_stride; }

  /// The same picture, read-only.
  operator Strided<const T>() const {
    return {data, channels, height, width, channel_stride, row_stride, column_stride};
  }
};

/// Dense picture with the channels of a pixel side by side (HWC).
template <typename T>
Strided<T> interleaved(T* data, int channels, int height, int width) {
  return {data, channels, height, width, 1, std::ptrdiff_t{width} * channels, channels};
}

/// Dense picture with one plane after the other (CHW).
template <typename T>
Strided<T> planar(T* data, int channels, int height, int width) {
  return {data, channels, height, width, std::ptrdiff_t{height} * width, width, 1};
}

}  // namespace penstock::kernels
