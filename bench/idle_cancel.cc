// What a run costs when nothing is wanted of it, and how quickly it ends.

#include <time.h>

#include <algorithm>

#include "bench_ops.h"
#include "measurement.h"
#include "runtime/run.h"

namespace penstock::bench {
namespace {

void wait_ms(int64_t ms) {
  const timespec time{ms / 1000, (ms % 1000) * 1000000};
  nanosleep(&time, nullptr);
}

std::shared_ptr<const Plan> full_of_work(int64_t body_ns) {
  return chain({{"items", "count", 10000000},
                {"wait", "ns", body_ns / 4, 8, 16},
                {"work", "ns", body_ns, 2, 8},
                {"group", "size", 8, 1, 8}});
}

}  // namespace

Result measure_idle(const Settings& settings) {
  const int rounds = settings.rounds > 0 ? settings.rounds : 5;
  std::vector<double> percent, sleeping;
  for (int i = 0; i < rounds; ++i) {
    const auto run = RunImpl::start(full_of_work(20000), {});
    run->next(std::nullopt);
    wait_ms(500);  // every edge fills up, workers park and leave
    int64_t cpu = cpu_now();
    const int64_t wall = wall_now();
    wait_ms(2000);
    percent.push_back(100.0 * static_cast<double>(cpu_now() - cpu) /
                      static_cast<double>(wall_now() - wall));
    run->stop();
    cpu = cpu_now();
    wait_ms(500);
    sleeping.push_back(static_cast<double>(cpu_now() - cpu) / 5e6);
  }
  Result result;
  result.value = median(percent);
  result.unit = "% of one CPU";
  result.baseline = median(sleeping);
  result.baseline_name = "the same process after stop()";
  result.detail["percent"] = spread(percent);
  return result;
}

Result measure_cancel(const Settings& settings) {
  const int rounds = settings.rounds > 0 ? settings.rounds : 40;
  std::vector<double> beyond;
  for (int i = 0; i < rounds; ++i) {
    const int64_t body = 1000000 * (1 + i % 10);
    const auto run = RunImpl::start(full_of_work(body), {});
    for (int batch = 0; batch < 1 + i % 3; ++batch) run->next(std::nullopt);
    const int64_t wall = wall_now();
    run->stop();
    beyond.push_back(static_cast<double>(wall_now() - wall - body) * 1e-6);
  }
  Result result;
  result.value = *std::max_element(beyond.begin(), beyond.end());
  result.unit = "ms beyond the longest body (the worst)";
  result.detail["beyond_ms"] = spread(beyond);
  return result;
}

}  // namespace penstock::bench
