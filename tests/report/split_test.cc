#include "report/split.h"

#include <doctest/doctest.h>

#include <vector>

#include "penstock/random.h"

using namespace penstock;

namespace {

SampledClocks sampled(int64_t wall, int64_t cpu, int64_t queue, bool has_queue) {
  SampledClocks clocks;
  clocks.firings = 1;
  clocks.wall_ns = wall;
  clocks.cpu_ns = cpu;
  clocks.run_queue_ns = queue;
  clocks.has_run_queue = has_queue;
  return clocks;
}

std::vector<Delivery> deliveries(int count, int64_t each_ns, int64_t later_ns) {
  std::vector<Delivery> list;
  int64_t now = 0;
  for (int i = 0; i < count; ++i) {
    now += i < count / 2 ? each_ns : later_ns;
    list.push_back({now, 8});
  }
  return list;
}

}  // namespace

TEST_CASE("the parts of running sum to it exactly, whatever the sampled clocks say") {
  uint64_t random = 1;
  for (int i = 0; i < 10000; ++i) {
    random = mix64(random, 7);
    const auto running = static_cast<int64_t>(random >> (1 + i % 40));
    const auto clocks = sampled(static_cast<int64_t>(mix64(random, 1) % 1000003),
                                static_cast<int64_t>(mix64(random, 2) % 1100003) - 5,
                                static_cast<int64_t>(mix64(random, 3) % 1000003) - 5, i % 2 == 0);
    const RunningSplit split = split_running(running, clocks, true);
    REQUIRE(split.on_cpu + split.run_queue.value_or(0) + split.off_cpu == running);
    REQUIRE(split.on_cpu >= 0);
    REQUIRE(split.off_cpu >= 0);
    REQUIRE(split.run_queue.has_value() == clocks.has_run_queue);
    REQUIRE(split.run_queue.value_or(0) >= 0);
  }
}

TEST_CASE("running is split by the sampled ratios") {
  const RunningSplit split = split_running(1000, sampled(100, 50, 30, true), true);
  CHECK(split.on_cpu == 500);
  CHECK(split.run_queue == 300);
  CHECK(split.off_cpu == 200);
}

TEST_CASE("without the kernel's run queue its time counts as off_cpu") {
  const RunningSplit split = split_running(1000, sampled(100, 50, 0, false), true);
  CHECK(split.on_cpu == 500);
  CHECK_FALSE(split.run_queue);
  CHECK(split.off_cpu == 500);
}

TEST_CASE("without a sample a computing unit is on_cpu, a waiting one off_cpu") {
  CHECK(split_running(1000, {}, true).on_cpu == 1000);
  CHECK(split_running(1000, {}, false).off_cpu == 1000);
}

TEST_CASE("a window's maximum is exact where it can be known, else its bucket's upper end") {
  Histogram histogram;
  histogram.add(200'000'000);  // the slow first batch
  const Histogram begin = histogram;
  histogram.add(1'000'000);
  histogram.add(3'000'000);
  CHECK(spread_ms({}, histogram).max == 200.0);
  const Spread window = spread_ms(begin, histogram);
  CHECK(window.mean == doctest::Approx(2.0));
  CHECK(window.max >= 3.0);
  CHECK(window.max <= 3.0 * 1.032);
  histogram.add(300'000'000);
  CHECK(spread_ms(begin, histogram).max == 300.0);
  CHECK(spread_ms(histogram, histogram).count == 0);
}

TEST_CASE("a rate is steady when the halves of the window agree within 5 %") {
  CHECK(is_steady(0, deliveries(40, 1000, 1000)));
  CHECK(is_steady(0, deliveries(40, 1000, 1040)));
  CHECK_FALSE(is_steady(0, deliveries(40, 1000, 1100)));
  CHECK_FALSE(is_steady(0, deliveries(18, 1000, 1000)));
  CHECK_FALSE(is_steady(0, {}));
  std::vector<BatchRecord> log;
  for (int i = 1; i <= 60; ++i) {
    log.push_back({.at_ns = i > 20 ? 20 + (i - 20) * 10 : i, .examples = 4});
  }
  CHECK(deliveries_after(20, log).size() == 40);
  CHECK(is_steady(20, deliveries_after(20, log)));
  CHECK_FALSE(is_steady(0, deliveries_after(0, log)));
}

TEST_CASE("warm-up is 8 batches or a quarter of them") {
  CHECK(default_warmup(0) == 0);
  CHECK(default_warmup(3) == 0);
  CHECK(default_warmup(20) == 5);
  CHECK(default_warmup(200) == 8);
}
