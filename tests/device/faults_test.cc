// Devices at fault: what goes wrong is told, and nothing is used again that they may still read.

#include <doctest/doctest.h>

#include "device/ring_bench.h"
#include "device/timed_device.h"

namespace penstock {
namespace {

TEST_CASE("a copy that fails is told, at the latest with the batch after next") {
  for (const auto& make : tested_devices({.failing_copy = 5})) {
    Bench bench(make());
    CAPTURE(bench.device.name);
    bool failed = false;
    for (uint64_t i = 0; i < 12 && !failed; ++i) {
      try {
        const std::vector<Tensor> fields = bench.copy(i);
        bench.hand_over(fields);
      } catch (const DeviceError& error) {
        failed = true;
        CHECK(i >= 3);
        CHECK(i <= 6);
      }
    }
    CHECK(failed);
  }
}

TEST_CASE("without a stream a failed copy is told with its own batch") {
  for (const auto& make : tested_devices({.failing_copy = 5})) {
    Bench bench(make());
    CAPTURE(bench.device.name);
    uint64_t good = 0;
    try {
      for (; good < 12; ++good) {
        const std::vector<Tensor> fields = bench.copy(good);
        bench.ring->hand_over(*fields[0].owner().get(), nullptr);
      }
    } catch (const DeviceError&) {
    }
    CHECK(good == 3);  // the first batch took two copies
  }
}

TEST_CASE("a copy whose end cannot be marked is over before what it was made from is used again") {
  for (const int record : {1, 2, 3}) {  // before the copy, behind it, behind all
    for (const auto& make : tested_devices()) {
      Bench bench(make());
      if (bench.device.lazy == nullptr) continue;
      CAPTURE(bench.device.name);
      CAPTURE(record);
      bench.device.lazy->fail_record(record);
      CHECK_THROWS_AS(bench.copy(1), DeviceError);
      std::vector<std::vector<uint8_t>> seen(6);
      for (uint64_t i = 0; i < seen.size(); ++i) {
        const std::vector<Tensor> fields = bench.copy(i);
        bench.hand_over(fields);
        bench.look(fields, &seen[i]);
      }
      bench.wait_for_stream();
      for (uint64_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == pattern(i, kBytes));
      bench.check_nothing_too_early();
    }
  }
}

TEST_CASE("the work on a batch is over before its slot is used, also where its end has no mark") {
  for (const auto& make : tested_devices()) {
    Bench bench(make(), 1);
    if (bench.device.lazy == nullptr) continue;
    CAPTURE(bench.device.name);
    std::vector<std::vector<uint8_t>> seen(2);
    for (uint64_t i = 0; i < seen.size(); ++i) {
      const std::vector<Tensor> fields = bench.copy(i);
      bench.hand_over(fields);
      bench.look(fields, &seen[i]);
      bench.device.lazy->fail_record(1);
    }
    bench.wait_for_stream();
    for (uint64_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == pattern(i, kBytes));
  }
}

TEST_CASE("a copy back to the host that fails is over before it is told") {
  for (const bool marked : {false, true}) {
    for (const auto& make : tested_devices()) {
      Bench bench(make());
      if (bench.device.lazy == nullptr) continue;
      CAPTURE(bench.device.name);
      const std::vector<Tensor> there = bench.copy(1);
      std::vector<uint8_t> out(there[0].nbytes());
      const auto read = [&] {
        bench.ring->read(*there[0].owner().get(), 0, out.data(), out.size());
      };
      read();
      if (marked) bench.device.lazy->fail_synchronize(1);
      if (!marked) bench.device.lazy->fail_record(1);
      CHECK_THROWS_AS(read(), DeviceError);
      const std::vector<uint8_t> other(out.size(), 7);
      out = other;  // the memory is the caller's again
      (void)bench.copy(2);
      bench.ring->finish();
      CHECK(out == other);
    }
  }
}

TEST_CASE("an event may go before the streams that know it are there") {
  operators::TimedDevice device;
  for (int i = 0; i < 100; ++i) {
    void* const first = device.create_stream();
    void* const second = device.create_stream();
    void* const event = device.create_event();
    device.work(100'000, first);
    device.record(event, first);
    device.wait(second, event);
    device.destroy_event(event);
    device.destroy_stream(second);
    device.destroy_stream(first);
  }
}

TEST_CASE("a device without memory, and one that is lost") {
  for (const auto& make : tested_devices({.memory = 1500, .failing_copy = 0})) {
    Bench bench(make());
    if (bench.device.lazy == nullptr) continue;
    CAPTURE(bench.device.name);
    const std::vector<Tensor> first = bench.copy(1);
    CHECK_THROWS_WITH_AS(bench.copy(2), doctest::Contains("out of memory"), DeviceError);
    bench.hand_over(first);
    std::vector<uint8_t> seen;
    bench.look(first, &seen);
    bench.wait_for_stream();
    CHECK(seen == pattern(1, kBytes));
  }
  for (const auto& make : tested_devices({.lost_after = 4})) {
    Bench bench(make());
    CAPTURE(bench.device.name);
    bool lost = false;
    for (uint64_t i = 0; i < 12 && !lost; ++i) {
      try {
        bench.hand_over(bench.copy(i));
      } catch (const DeviceError&) {
        lost = true;
      }
    }
    CHECK(lost);
  }
}

}  // namespace
}  // namespace penstock
