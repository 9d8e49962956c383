#include "measure/split.h"

#include <algorithm>

namespace penstock {
namespace {

/// a x b / c, rounded to nearest, without overflow.
int64_t scale(int64_t a, int64_t b, int64_t c) {
  return static_cast<int64_t>((static_cast<__int128>(a) * b + c / 2) / c);
}

std::vector<int64_t> minus(const std::vector<int64_t>& newer, const std::vector<int64_t>& older) {
  std::vector<int64_t> result = newer;
  for (size_t i = 0; i < std::min(newer.size(), older.size()); ++i) result[i] -= older[i];
  return result;
}

}  // namespace

RunningSplit split_running(int64_t running_ns, const SampledClocks& sampled, bool computes) {
  RunningSplit split;
  if (sampled.wall_ns <= 0) {
    (computes ? split.on_cpu : split.off_cpu) = running_ns;
    if (sampled.has_run_queue) split.run_queue = 0;
    return split;
  }
  const int64_t cpu = std::clamp<int64_t>(sampled.cpu_ns, 0, sampled.wall_ns);
  split.on_cpu = scale(running_ns, cpu, sampled.wall_ns);
  split.off_cpu = running_ns - split.on_cpu;
  if (sampled.has_run_queue) {
    const int64_t queued = std::clamp<int64_t>(sampled.run_queue_ns, 0, sampled.wall_ns - cpu);
    const int64_t share = scale(running_ns, queued, sampled.wall_ns);
    split.run_queue = std::min(share, split.off_cpu);  // both are rounded: never below 0
    split.off_cpu -= *split.run_queue;
  }
  return split;
}

SlotStates operator-(const SlotStates& newer, const SlotStates& older) {
  SlotStates result = newer;
  result.starved = minus(newer.starved, older.starved);
  result.thread_wait -= older.thread_wait;
  result.running -= older.running;
  result.handover -= older.handover;
  result.order_held -= older.order_held;
  result.blocked = minus(newer.blocked, older.blocked);
  result.blocked_pool -= older.blocked_pool;
  result.drained -= older.drained;
  return result;
}

SampledClocks operator-(const SampledClocks& newer, const SampledClocks& older) {
  SampledClocks result = newer;
  result.firings -= older.firings;
  result.wall_ns -= older.wall_ns;
  result.cpu_ns -= older.cpu_ns;
  result.run_queue_ns -= older.run_queue_ns;
  return result;
}

}  // namespace penstock
