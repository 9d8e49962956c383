#include "runtime/clock.h"

#include <fstream>
#include <mutex>
#include <string>

namespace penstock {

TscScale tsc_scale;

#if defined(__x86_64__)
namespace {

constexpr int64_t kCalibrationNs = 2'000'000;

/// The kernel drops the counter as its clock where cores disagree or it stops in sleep.
bool kernel_trusts_tsc() {
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string name;
  return (file >> name) && name == "tsc";
}

struct Pair {
  uint64_t ticks = 0;
  int64_t ns = 0;
};

/// Both clocks at one moment: of several readings the one with the least time between.
Pair read_both() {
  Pair best;
  uint64_t least = ~uint64_t{0};
  for (int i = 0; i < 16; ++i) {
    _mm_lfence();
    const uint64_t before = __rdtsc();
    const int64_t ns = monotonic_ns();
    _mm_lfence();
    const uint64_t after = __rdtsc();
    if (after - before >= least) continue;
    least = after - before;
    best = {before + (after - before) / 2, ns};
  }
  return best;
}

void calibrate() {
  if (!kernel_trusts_tsc()) return;
  const Pair from = read_both();
  while (monotonic_ns() - from.ns < kCalibrationNs) {
  }
  const Pair to = read_both();
  const double ns_per_tick =
      static_cast<double>(to.ns - from.ns) / static_cast<double>(to.ticks - from.ticks);
  tsc_scale = {to.ticks, to.ns, static_cast<uint64_t>(ns_per_tick * 4294967296.0)};
}

}  // namespace
#endif

void prepare_clock() {
#if defined(__x86_64__)
  static std::once_flag once;
  std::call_once(once, calibrate);
#endif
}

}  // namespace penstock
