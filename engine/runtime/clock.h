#pragma once
/// The one clock of the runtime.

#include <cstdint>
#include <ctime>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace penstock {

/// How to turn the CPU's time-stamp counter into CLOCK_MONOTONIC: ns = base_ns + ticks * scale.
struct TscScale {
  uint64_t base_ticks = 0;
  int64_t base_ns = 0;
  uint64_t ns_per_tick = 0;  ///< times 2^32; 0: the counter is not used
};

/// Set once by prepare_clock() and constant from then on.
extern TscScale tsc_scale;

/// Compares the time-stamp counter with CLOCK_MONOTONIC for 2 ms, at the first call, where the
/// kernel itself keeps time by it; elsewhere the clock stays CLOCK_MONOTONIC. Any thread; each
/// engine calls it, so that runs find it done.
void prepare_clock();

inline int64_t monotonic_ns() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

/// What this thread has read so far is read before its next clock reading: a stamp that came from
/// another thread is never in the future.
inline void settle_clock() {
#if defined(__x86_64__) && !defined(PENSTOCK_NO_CLOCKS)
  if (tsc_scale.ns_per_tick != 0) _mm_lfence();  // the kernel's own clock does it itself
#endif
}

/// As now_ns(), but the CPU may read it some tens of nanoseconds before what stands in front of it
/// is done. For events of this thread that follow events of this thread: a third of the price.
inline int64_t own_now_ns() {
#ifdef PENSTOCK_NO_CLOCKS
  return 1;
#else
#if defined(__x86_64__)
  if (tsc_scale.ns_per_tick != 0) {
    const uint64_t ticks = __rdtsc() - tsc_scale.base_ticks;
    using Wide = unsigned __int128;
    return tsc_scale.base_ns +
           static_cast<int64_t>((static_cast<Wide>(ticks) * tsc_scale.ns_per_tick) >> 32);
  }
#endif
  return monotonic_ns();
#endif
}

/// Nanoseconds of CLOCK_MONOTONIC as of prepare_clock(), by the time-stamp counter where that can
/// be trusted (docs/decisions/0004); a constant in the build without clocks (bench only).
inline int64_t now_ns() {
  settle_clock();
  return own_now_ns();
}

/// True where durations are recorded.
#ifdef PENSTOCK_NO_CLOCKS
inline constexpr bool kClocks = false;
#else
inline constexpr bool kClocks = true;
#endif

}  // namespace penstock
