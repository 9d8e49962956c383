// The runtime's clock against the kernel's.

#include "runtime/clock.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace penstock {
namespace {

TEST_CASE("clock: keeps the pace of CLOCK_MONOTONIC") {
  prepare_clock();
  const int64_t before = monotonic_ns();
  const int64_t own = now_ns();
  const int64_t after = monotonic_ns();
  CHECK(own >= before - 1000);
  CHECK(own <= after + 1000);
  int64_t least = 0, own_span = 0, most = 0;  // the own reading lies between two of the kernel's
  while (least < 20'000'000) {
    least = monotonic_ns() - after;
    own_span = now_ns() - own;
    most = monotonic_ns() - before;
  }
  CHECK(static_cast<double>(own_span) > 0.999 * static_cast<double>(least));
  CHECK(static_cast<double>(own_span) < 1.001 * static_cast<double>(most));
}

TEST_CASE("clock: never runs backwards, also between threads") {
  prepare_clock();
  std::atomic<int64_t> latest{0};
  std::atomic<int> backwards{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 100000; ++n) {
        const int64_t seen = latest.load();
        const int64_t now = now_ns();
        if (now < seen - 1000) ++backwards;  // 1 us: cores agree to far less
        latest.store(now);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(backwards == 0);
}

TEST_CASE("clock: a second call changes nothing") {
  prepare_clock();
  const TscScale first = tsc_scale;
  prepare_clock();
  CHECK(first.ns_per_tick == tsc_scale.ns_per_tick);
  CHECK(first.base_ns == tsc_scale.base_ns);
}

}  // namespace
}  // namespace penstock
