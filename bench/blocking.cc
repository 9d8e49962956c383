// Bodies that wait: 32 at a time, 2 ms each, against threads that take numbers from a counter and
// do nothing else; alone, and followed by 20 us of CPU work and groups of 8.

#include <time.h>

#include <atomic>
#include <thread>

#include "bench_ops.h"
#include "measurement.h"
#include "penstock/spin.h"
#include "runtime/run.h"

namespace penstock::bench {
namespace {

constexpr int kSlots = 32;
constexpr int64_t kWaitNs = 2000000, kWorkNs = 20000;

struct Cost {
  double wall_ns = 0, cpu_ns = 0;
};

/// The same bodies on bare threads. The CPU work follows on the same thread.
Cost bare_pool(int64_t items, int64_t work_ns) {
  const uint64_t iterations =
      static_cast<uint64_t>(static_cast<double>(work_ns) * 1e-6 * spin_iterations_per_ms());
  std::atomic<int64_t> next{0};
  const int64_t cpu = cpu_now(), wall = wall_now();
  std::vector<std::thread> threads;
  for (int i = 0; i < kSlots; ++i) {
    threads.emplace_back([&] {
      while (next.fetch_add(1) < items) {
        const timespec time{0, kWaitNs};
        nanosleep(&time, nullptr);
        if (iterations > 0) spin(iterations);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return {static_cast<double>(wall_now() - wall), static_cast<double>(cpu_now() - cpu)};
}

Cost engine(const std::shared_ptr<const Plan>& plan) {
  const int64_t cpu = cpu_now(), wall = wall_now();
  const auto run = RunImpl::start(plan, {});
  while (run->next(std::nullopt).kind != Next::Kind::kEnd) {
  }
  return {static_cast<double>(wall_now() - wall), static_cast<double>(cpu_now() - cpu)};
}

struct Series {
  std::vector<double> speed, extra_us, pool_us;
};

Series measure(const std::shared_ptr<const Plan>& plan, int64_t items, int64_t work_ns,
               int rounds) {
  Series series;
  for (int i = 0; i < rounds; ++i) {
    const Cost bare = bare_pool(items, work_ns);
    const Cost own = engine(plan);
    const auto beyond = [&](const Cost& cost) {
      return (cost.cpu_ns / static_cast<double>(items) - static_cast<double>(work_ns)) * 1e-3;
    };
    series.speed.push_back(bare.wall_ns / own.wall_ns);
    series.extra_us.push_back(beyond(own));
    series.pool_us.push_back(beyond(bare));
  }
  return series;
}

}  // namespace

Result measure_blocking(const Settings& settings) {
  const int rounds = settings.rounds > 0 ? settings.rounds : 9;
  const int64_t items = 3200;
  const Stage source{"items", "count", items};
  const Stage wait{"wait", "ns", kWaitNs, kSlots, 32};
  const Stage work{"work", "ns", kWorkNs, 2, 32};
  const Stage group{"group", "size", 8, 1, 8};
  const Series alone = measure(chain({source, wait}), items, 0, rounds);
  const Series followed = measure(chain({source, wait, work, group}), items, kWorkNs, rounds);
  Result result;
  result.value = median(alone.speed);
  result.unit = "speed as a part of a bare pool's";
  result.baseline = 1.0;
  result.baseline_name = "32 bare threads";
  result.detail["alone"] = spread(alone.speed);
  result.detail["followed_by_work_and_collate"] = spread(followed.speed);
  result.detail["cpu_beyond_bodies_us_alone"] = spread(alone.extra_us);
  result.detail["cpu_beyond_bodies_us_followed"] = spread(followed.extra_us);
  result.detail["cpu_beyond_bodies_us_bare_pool"] = spread(alone.pool_us);
  return result;
}

}  // namespace penstock::bench
