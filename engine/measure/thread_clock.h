#pragma once
/// CPU time and run-queue time of the calling thread.

#include <cstdint>

namespace penstock {

struct ThreadTimes {
  int64_t cpu_ns = 0;
  int64_t run_queue_ns = -1;  ///< -1: the system does not tell
};

/// CLOCK_THREAD_CPUTIME_ID and the second figure of /proc/thread-self/schedstat. The file is opened
/// once a thread and closed when the thread ends.
ThreadTimes read_thread_clock();

/// Nanoseconds that a sampled firing spends on all its clock reads: measured, not assumed.
int64_t measure_sample_cost();

}  // namespace penstock
