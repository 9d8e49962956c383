#include "kernels/convert.h"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>

#include "kernels/image.h"

namespace penstock::kernels {
namespace {

template <typename T>
constexpr bool kHasRange =
    std::same_as<T, std::uint8_t> || std::same_as<T, std::uint16_t> || std::same_as<T, float>;

/// Nearest value of an integer type; halves to even, clamped, NaN to 0.
template <std::integral To>
To round_and_clamp(double value) {
  if (std::isnan(value)) return 0;
  // The upper limit of int64 is not a double; at or above 2^63 the answer is the limit itself.
  if (value >= static_cast<double>(std::numeric_limits<To>::max())) {
    return std::numeric_limits<To>::max();
  }
  if (value <= static_cast<double>(std::numeric_limits<To>::min())) {
    return std::numeric_limits<To>::min();
  }
  return static_cast<To>(std::nearbyint(value));
}

template <typename From, typename To>
To keep_value(From value) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value);
  } else if constexpr (std::is_floating_point_v<From>) {
    return round_and_clamp<To>(value);
  } else {
    return static_cast<To>(std::clamp<std::int64_t>(value, std::numeric_limits<To>::min(),
                                                    std::numeric_limits<To>::max()));
  }
}

template <typename From, typename To>
To scale_value(From value) {
  if constexpr (std::same_as<From, To>) {
    return value;
  } else if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(value) / static_cast<To>(std::numeric_limits<From>::max());
  } else if constexpr (std::is_floating_point_v<From>) {
    return round_and_clamp<To>(static_cast<double>(value) * std::numeric_limits<To>::max());
  } else {
    constexpr std::uint32_t kFrom = std::numeric_limits<From>::max();
    constexpr std::uint32_t kTo = std::numeric_limits<To>::max();
    return static_cast<To>((std::uint32_t{value} * kTo + kFrom / 2) / kFrom);
  }
}

template <typename Visitor>
void visit_type(SampleType type, Visitor&& visitor) {
  switch (type) {
    case SampleType::kUint8:
      return visitor(std::uint8_t{});
    case SampleType::kUint16:
      return visitor(std::uint16_t{});
    case SampleType::kInt32:
      return visitor(std::int32_t{});
    case SampleType::kInt64:
      return visitor(std::int64_t{});
    case SampleType::kFloat32:
      return visitor(float{});
  }
}

template <typename From, typename To>
void convert(const From* from, To* to, std::size_t count, Scaling scaling) {
  if (scaling == Scaling::kNone) {
    std::transform(from, from + count, to, keep_value<From, To>);
  } else if constexpr (kHasRange<From> && kHasRange<To>) {
    std::transform(from, from + count, to, scale_value<From, To>);
  }
}

bool has_range(SampleType type) {
  bool answer = false;
  visit_type(type, [&answer]<typename T>(T) { answer = kHasRange<T>; });
  return answer;
}

}  // namespace

std::size_t sample_bytes(SampleType type) {
  std::size_t bytes = 0;
  visit_type(type, [&bytes]<typename T>(T) { bytes = sizeof(T); });
  return bytes;
}

const char* sample_name(SampleType type) {
  switch (type) {
    case SampleType::kUint8:
      return "uint8";
    case SampleType::kUint16:
      return "uint16";
    case SampleType::kInt32:
      return "int32";
    case SampleType::kInt64:
      return "int64";
    case SampleType::kFloat32:
      break;
  }
  return "float32";
}

void convert_samples(SampleType from_type, const void* from, SampleType to_type, void* to,
                     std::size_t count, Scaling scaling) {
  if (scaling == Scaling::kRange && !(has_range(from_type) && has_range(to_type))) {
    throw ImageError(ImageErrorKind::kArgument,
                     std::string("scaling from ") + sample_name(from_type) + " to " +
                         sample_name(to_type) +
                         " is not defined; only uint8, uint16 and float32 can be scaled");
  }
  visit_type(from_type, [&]<typename From>(From) {
    visit_type(to_type, [&]<typename To>(To) {
      convert(static_cast<const From*>(from), static_cast<To*>(to), count, scaling);
    });
  });
}

template <typename T>
void copy_layout(const Strided<const T>& from, const Strided<T>& to) {
  if (from.channels != to.channels || from.height != to.height || from.width != to.width) {
    throw ImageError(ImageErrorKind::kArgument, "a change of layout cannot change sizes");
  }
  for (int y = 0; y < from.height; ++y) {
    for (int c = 0; c < from.channels; ++c) {
      const T* source = from.row(c, y);
      T* target = to.row(c, y);
      for (int x = 0; x < from.width; ++x) {
        target[x * to.column_stride] = source[x * from.column_stride];
      }
    }
  }
}

template void copy_layout(const Strided<const std::uint8_t>&, const Strided<std::uint8_t>&);
template void copy_layout(const Strided<const std::uint16_t>&, const Strided<std::uint16_t>&);
template void copy_layout(const Strided<const float>&, const Strided<float>&);

}  // namespace penstock::kernels
