#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/strided.h"

namespace penstock::kernels {

/// Element types that can be converted into each other.
enum class SampleType { kUint8, kUint16, kInt32, kInt64, kFloat32 };

/// Bytes of one element.
std::size_t sample_bytes(SampleType type);

/// Name as users write it: "uint8", "float32" ...
const char* sample_name(SampleType type);

/// Whether a value's meaning is carried over as a fraction of the type's range.
enum class Scaling {
  kNone,   ///< Values stay what they are.
  kRange,  ///< 1.0 in float32 is 255 in uint8 and 65535 in uint16.
};

/// Converts `count` elements. Conversion to a smaller range rounds to nearest (halves to even) and
/// clamps; NaN becomes 0. With kRange, uint8 to float32 is x / 255 in float32 arithmetic, uint16 to
/// uint8 is v * 255 / 65535 rounded; only uint8, uint16 and float32 have a range to scale by.
/// Throws ImageError(kArgument) for other types with kRange.
void convert_samples(SampleType from_type, const void* from, SampleType to_type, void* to,
                     std::size_t count, Scaling scaling);

/// Copies a picture into another order of axes (HWC to CHW and back). Sizes must be equal, or
/// ImageError(kArgument) is thrown. T is std::uint8_t, std::uint16_t or float.
template <typename T>
void copy_layout(const Strided<const T>& from, const Strided<T>& to);

extern template void copy_layout(const Strided<const std::uint8_t>&, const Strided<std::uint8_t>&);
extern template void copy_layout(const Strided<const std::uint16_t>&,
                                 const Strided<std::uint16_t>&);
extern template void copy_layout(const Strided<const float>&, const Strided<float>&);

}  // namespace penstock::kernels
