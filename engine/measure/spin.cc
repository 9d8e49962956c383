#include "penstock/spin.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace penstock {
namespace {

constexpr int kTrials = 9;
constexpr double kTrialNs = 2e6;

double time_ns(uint64_t iterations) {
  const auto start = std::chrono::steady_clock::now();
  spin(iterations);
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

double calibrate() {
  uint64_t iterations = 1 << 12;  // grown until a trial is long enough for the clock
  while (time_ns(iterations) < kTrialNs / 4) iterations *= 2;
  double best = time_ns(iterations);
  for (int trial = 1; trial < kTrials; ++trial) best = std::min(best, time_ns(iterations));
  return static_cast<double>(iterations) / best * 1e6;
}

}  // namespace

uint64_t spin(uint64_t iterations) {
  uint64_t x = iterations;
  for (uint64_t i = 0; i < iterations; ++i) {
    x = x * 6364136223846793005u + 1442695040888963407u;
    asm volatile("" : "+r"(x));  // every iteration happens
  }
  return x;
}

double spin_iterations_per_ms() {
  static const double rate = calibrate();
  return rate;
}

uint64_t spin_iterations(int64_t ns) {
  if (ns <= 0) return 0;
  const double count = std::round(static_cast<double>(ns) / 1e6 * spin_iterations_per_ms());
  return std::max<uint64_t>(1, static_cast<uint64_t>(count));
}

}  // namespace penstock
