#include "measure/histogram.h"

#include <doctest/doctest.h>

#include <cmath>

#include "measure/snapshot.h"

namespace penstock {
namespace {

TEST_CASE("quantiles are right to 3.2 % over the whole range") {
  for (int64_t value = 1; value < (int64_t{1} << 62); value = value * 3 + 1) {
    Histogram histogram;
    histogram.add(value);
    histogram.add(INT64_MAX);
    CHECK(std::abs(histogram.quantile(0.5) - static_cast<double>(value)) <=
          0.032 * static_cast<double>(value));
  }
}

TEST_CASE("count, sum, mean and max are exact") {
  Histogram histogram;
  CHECK(histogram.quantile(0.5) == 0);
  CHECK(histogram.mean() == 0);
  for (const int64_t value : {10, 20, 30, -5}) histogram.add(value);
  CHECK(histogram.count() == 4);
  CHECK(histogram.sum() == 60);
  CHECK(histogram.mean() == 15);
  CHECK(histogram.max() == 30);
  CHECK(histogram.quantile(0) == 0);
  CHECK(histogram.quantile(0.5) == 10);
  CHECK(histogram.quantile(1) == 30);
}

TEST_CASE("a window is the difference of two states") {
  Histogram older;
  older.add(100);
  Histogram now = older;
  now.add(1000);
  now.add(2000);
  const Histogram window = now.since(older);
  CHECK(window.count() == 2);
  CHECK(window.sum() == 3000);
  Histogram merged = older;
  merged.merge(window);
  CHECK(merged.buckets() == now.buckets());
  CHECK(merged.max() == now.max());
}

TEST_CASE("the sum of slot states counts every one") {
  SlotStates states;
  states.starved = {1, 2};
  states.thread_wait = 4;
  states.running = 8;
  states.handover = 16;
  states.order_held = 32;
  states.blocked = {64, 128};
  states.blocked_pool = 256;
  states.drained = 512;
  CHECK(states.sum() == 1023);
}

}  // namespace
}  // namespace penstock
