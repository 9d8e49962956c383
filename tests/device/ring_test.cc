// The slots of a device, on every device that there is: nothing is read before it is there, nothing
// is overwritten while it is used, nothing is freed too early, and all of it ends.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "device/ring_bench.h"

namespace penstock {
namespace {

TEST_CASE("work on the consumer's stream sees each batch whole, and no other") {
  for (const auto& make : tested_devices()) {
    for (const size_t slots : {1, 2, 3}) {
      Bench bench(make(), slots);
      CAPTURE(bench.device.name);
      CAPTURE(slots);
      std::vector<std::vector<uint8_t>> seen(40);
      for (uint64_t i = 0; i < seen.size(); ++i) {
        const std::vector<Tensor> fields = bench.copy(i);
        bench.hand_over(fields);
        bench.look(fields, &seen[i]);
      }
      bench.wait_for_stream();
      for (uint64_t i = 0; i < seen.size(); ++i) {
        CAPTURE(i);
        CHECK(seen[i] == pattern(i, kBytes));
      }
      bench.check_nothing_too_early();
    }
  }
}

TEST_CASE("a batch may be larger than all before it") {
  for (const auto& make : tested_devices()) {
    Bench bench(make());
    CAPTURE(bench.device.name);
    std::vector<std::vector<uint8_t>> seen(12);
    for (uint64_t i = 0; i < seen.size(); ++i) {
      const std::vector<Tensor> fields = bench.copy(i, kBytes * (1 + i));
      bench.hand_over(fields);
      bench.look(fields, &seen[i]);
    }
    bench.wait_for_stream();
    for (uint64_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == pattern(i, kBytes * (1 + i)));
    bench.check_nothing_too_early();
  }
}

TEST_CASE("memory grows by a quarter at least, where there is as much") {
  for (const auto& make : tested_devices()) {
    Bench bench(make());
    CAPTURE(bench.device.name);
    std::vector<uint8_t> seen;
    for (uint64_t i = 0; i < 50; ++i) {
      const std::vector<Tensor> fields = bench.copy(i, 10'000 + 100 * i);
      bench.hand_over(fields);
      bench.look(fields, &seen);
      bench.wait_for_stream();
    }
    CHECK(seen == pattern(49, 14'900));
    CHECK(bench.ring->figures().allocations <= 6);  // in 2 slots, to 12.5 and 15.6 thousand
    CHECK(bench.pool->allocations() <= 20);
  }
  Bench bench(tested_devices({.memory = 2850})[0](), 1);
  for (const size_t bytes : {1000, 1200}) {  // 1280 and 1536 on the device; 1600 are not there
    const std::vector<Tensor> fields = bench.copy(1, bytes);
    bench.hand_over(fields);
  }
  CHECK(bench.ring->figures().allocations == 2);
}

TEST_CASE("without a stream the batch is there when it is handed over") {
  for (const auto& make : tested_devices()) {
    Bench bench(make());
    CAPTURE(bench.device.name);
    for (uint64_t i = 0; i < 10; ++i) {
      const std::vector<Tensor> fields = bench.copy(i);
      bench.ring->hand_over(*fields[0].owner().get(), nullptr);
      if (bench.device.name == "CUDA") continue;  // its memory cannot be looked at
      std::vector<uint8_t> seen(fields[0].data_as<uint8_t>(),
                                fields[0].data_as<uint8_t>() + fields[0].nbytes());
      seen.insert(seen.end(), fields[1].data_as<uint8_t>(),
                  fields[1].data_as<uint8_t>() + fields[1].nbytes());
      CHECK(seen == pattern(i, kBytes));
    }
    bench.check_nothing_too_early();
  }
}

TEST_CASE("without a stream the consumer's work is taken to be on the default one") {
  for (const auto& make : tested_devices()) {
    Bench bench(make());
    CAPTURE(bench.device.name);
    std::vector<std::vector<uint8_t>> seen(20);
    bench.device.runtime->destroy_stream(bench.stream.handle);
    bench.stream.handle = nullptr;
    for (uint64_t i = 0; i < seen.size(); ++i) {
      const std::vector<Tensor> fields = bench.copy(i);
      bench.ring->hand_over(*fields[0].owner().get(), nullptr);
      bench.look(fields, &seen[i]);
    }
    bench.wait_for_stream();
    for (uint64_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == pattern(i, kBytes));
    bench.stream.handle = bench.device.runtime->create_stream();
  }
}

TEST_CASE("the host is at most two rounds ahead: pinned memory is bounded, and all is timed") {
  for (const auto& make : tested_devices()) {
    Bench bench(make(), 2);
    CAPTURE(bench.device.name);
    std::vector<uint8_t> seen;
    for (uint64_t i = 0; i < 100; ++i) {
      const std::vector<Tensor> fields = bench.copy(i);
      bench.hand_over(fields);
      bench.look(fields, &seen);
    }
    bench.wait_for_stream();
    bench.ring->finish();
    // The first batch takes two blocks, until it is known how large one is.
    CHECK(bench.pool->allocations() <= 5);
    const DeviceFigures figures = bench.ring->figures();
    CHECK(figures.copies == 100);
    CHECK(figures.bytes >= 100 * kBytes);
    CHECK(figures.transfers == 101);
    CHECK(figures.timed == 100);
    CHECK(figures.steps == 96);  // those of the last two rounds are not asked for
    CHECK(figures.copy_ns > 0);
    CHECK(figures.allocations == 2);
  }
}

TEST_CASE("what the consumer keeps stays as it is, beyond the run too") {
  for (const auto& make : tested_devices()) {
    Bench bench(make(), 3);
    CAPTURE(bench.device.name);
    const std::vector<Tensor> kept = bench.copy(7);
    bench.hand_over(kept);
    std::vector<uint8_t> seen;
    for (uint64_t i = 0; i < 20; ++i) {
      const std::vector<Tensor> fields = bench.copy(100 + i);
      bench.hand_over(fields);
      bench.look(fields, &seen);
    }
    bench.ring->finish();
    bench.ring.reset();
    bench.look(kept, &seen);
    bench.wait_for_stream();
    CHECK(seen == pattern(7, kBytes));
    bench.check_nothing_too_early();
  }
}

TEST_CASE("all memory goes with the last tensor, wherever that is let go of") {
  for (const auto& make : tested_devices()) {
    TestedDevice device = make();
    if (device.lazy == nullptr) continue;
    CAPTURE(device.name);
    std::vector<Tensor> kept;
    std::vector<uint8_t> seen;
    {
      Bench bench(device);
      kept = bench.copy(1);
      bench.hand_over(kept);
      const std::vector<Tensor> other = bench.copy(2);
      bench.hand_over(other);
      bench.look(other, &seen);
      bench.wait_for_stream();
    }
    CHECK(device.lazy->live() > 0);
    std::thread([&kept] { kept.clear(); }).join();
    CHECK(device.lazy->live() == 0);
    CHECK(device.lazy->violations().empty());
  }
}

TEST_CASE("a ring that goes waits for the work on its memory") {
  for (const auto& make : tested_devices()) {
    TestedDevice device = make();
    if (device.lazy == nullptr) continue;
    CAPTURE(device.name);
    std::vector<std::vector<uint8_t>> seen(2);
    {
      Bench bench(device);
      for (uint64_t i = 0; i < 2; ++i) {
        const std::vector<Tensor> fields = bench.copy(i);
        bench.hand_over(fields);
        bench.look(fields, &seen[i]);
      }
      bench.ring.reset();  // nothing was waited for yet
    }
    CHECK(device.lazy->violations().empty());
    CHECK(seen[0] == pattern(0, kBytes));
    CHECK(seen[1] == pattern(1, kBytes));
  }
}

TEST_CASE("what copies are made from is free once they are finished, and not before") {
  for (const auto& make : tested_devices()) {
    Bench bench(make());
    CAPTURE(bench.device.name);
    const std::vector<Tensor> first = bench.copy(1), second = bench.copy(2);
    bench.ring->finish();
    std::vector<std::vector<Tensor>> others;  // in the same pinned memory
    for (uint64_t i = 0; i < 4; ++i) others.push_back(bench.batch(100 + i));
    std::vector<uint8_t> seen, seen_second;
    bench.hand_over(first);
    bench.look(first, &seen);
    bench.hand_over(second);
    bench.look(second, &seen_second);
    bench.wait_for_stream();
    CHECK(seen == pattern(1, kBytes));
    CHECK(seen_second == pattern(2, kBytes));
    bench.check_nothing_too_early();
  }
}

TEST_CASE("a batch that nobody asked for is copied and let go of") {
  for (const auto& make : tested_devices()) {
    TestedDevice device = make();
    if (device.lazy == nullptr) continue;
    CAPTURE(device.name);
    {
      Bench bench(device);
      for (uint64_t i = 0; i < 9; ++i) (void)bench.copy(i);
    }
    CHECK(device.lazy->violations().empty());
    CHECK(device.lazy->live() == 0);
  }
}

TEST_CASE("times of copies are as fine after days as at the begin") {
  constexpr uint64_t kStep = 100'003;  // ms: no float has many of them
  for (const auto& make : tested_devices({.clock_step = kStep})) {
    Bench bench(make());
    if (bench.device.lazy == nullptr) continue;
    CAPTURE(bench.device.name);
    for (uint64_t i = 0; i < 1000; ++i) bench.hand_over(bench.copy(i));
    bench.wait_for_stream();
    bench.ring->finish();
    const std::vector<CopyRecord> copies = bench.ring->take_copies();
    REQUIRE(copies.size() == 1000);
    int64_t off = 0;
    for (const CopyRecord& copy : copies) {
      const int64_t beside = (copy.begin_ns - copies[0].begin_ns) % (kStep * 1'000'000);
      off =
          std::max(off, std::min<int64_t>(std::abs(beside), kStep * 1'000'000 - std::abs(beside)));
    }
    CHECK(off < 1'000'000);
  }
}

TEST_CASE("fields that lie apart move one by one, and come together on the device") {
  for (const auto& make : tested_devices()) {
    Bench bench(make());
    CAPTURE(bench.device.name);
    std::vector<Tensor> fields;
    for (uint64_t i = 0; i < 3; ++i) {
      fields.push_back(Tensor::empty({7, 11}, DType::kUInt8));
      const std::vector<uint8_t> values = pattern(i, 77);
      std::memcpy(fields.back().mutable_data(), values.data(), 77);
    }
    const std::vector<Tensor> there =
        bench.ring->copy({&fields[2], &fields[0], &fields[1]}, nullptr);
    bench.hand_over(there);
    CHECK(bench.ring->figures().transfers == 3);
    CHECK(there[1].shape()[1] == 11);
    CHECK(there[1].device() == bench.device.runtime->device());
    const Tensor back = on_host(there[1]);
    CHECK(std::memcmp(back.data(), pattern(0, 77).data(), 77) == 0);
  }
}

TEST_CASE("several devices know nothing of each other") {
  for (const uint64_t seed : {0, 5}) {
    LazyDeviceOptions options;
    options.seed = seed;
    Bench one(tested_devices(options)[0]()), other(tested_devices(options)[0]());
    std::vector<std::vector<uint8_t>> seen(20);
    for (uint64_t i = 0; i < seen.size(); ++i) {
      Bench& bench = i % 3 == 0 ? one : other;
      const std::vector<Tensor> fields = bench.copy(i);
      bench.hand_over(fields);
      bench.look(fields, &seen[i]);
    }
    one.wait_for_stream();
    other.wait_for_stream();
    for (uint64_t i = 0; i < seen.size(); ++i) CHECK(seen[i] == pattern(i, kBytes));
    one.check_nothing_too_early();
    other.check_nothing_too_early();
  }
}

TEST_CASE("a stream of another device is refused, one of none is none: the thread waits") {
  for (const auto& make : tested_devices()) {
    Bench bench(make());
    CAPTURE(bench.device.name);
    int no_stream = 0;
    const DeviceStream other{{Device::Kind::kCuda, 7}, &no_stream}, none;
    const std::vector<Tensor> first = bench.copy(1), second = bench.copy(2);
    CHECK_THROWS_WITH_AS(bench.ring->hand_over(*first[0].owner().get(), &other),
                         doctest::Contains("is another device's"), DeviceError);
    bench.ring->hand_over(*second[0].owner().get(), &none);
    if (bench.device.name == "CUDA") continue;  // its memory cannot be looked at
    const auto* seen = second[0].data_as<uint8_t>();
    const std::vector<uint8_t> whole = pattern(2, kBytes);
    CHECK(std::equal(seen, seen + second[0].nbytes(), whole.begin()));
    bench.check_nothing_too_early();
  }
}

TEST_CASE("a batch that is being let go of is held until its place is given back") {
  Bench bench(tested_devices().front()(), 1);
  const std::vector<Tensor> fields = bench.batch(1);
  bool held_meanwhile = false;
  std::vector<Tensor> there = bench.ring->copy(
      {&fields[0], &fields[1]},
      std::shared_ptr<void>(nullptr, [&](void*) { held_meanwhile = bench.ring->all_held(); }));
  bench.hand_over(there);
  there.clear();
  CHECK(held_meanwhile);
  CHECK_FALSE(bench.ring->all_held());
}

TEST_CASE("all held is all held") {
  Bench bench(tested_devices().front()());
  std::vector<Tensor> first = bench.copy(1), second = bench.copy(2);
  CHECK_FALSE(bench.ring->all_held());
  bench.hand_over(first);
  CHECK_FALSE(bench.ring->all_held());
  bench.hand_over(second);
  CHECK(bench.ring->all_held());
  CHECK_THROWS_AS(bench.copy(3), DeviceError);
  first.clear();
  CHECK_FALSE(bench.ring->all_held());
}

}  // namespace
}  // namespace penstock
