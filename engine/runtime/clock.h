#pragma once
/// The one clock of the runtime.

#include <cstdint>
#include <ctime>

namespace penstock {

/// CLOCK_MONOTONIC in nanoseconds; a constant in the build without clocks (bench only).
inline int64_t now_ns() {
#ifdef PENSTOCK_NO_CLOCKS
  return 1;
#else
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
#endif
}

/// True where durations are recorded.
#ifdef PENSTOCK_NO_CLOCKS
inline constexpr bool kClocks = false;
#else
inline constexpr bool kClocks = true;
#endif

}  // namespace penstock
