#pragma once
/// CPU time and run-queue time of the calling thread.

#include <cstdint>

namespace penstock {

/// CPU time of this thread (CLOCK_THREAD_CPUTIME_ID).
int64_t thread_cpu_ns();

/// How long this thread was ready to run and had no CPU: the second figure of
/// /proc/thread-self/schedstat; -1 where the system does not tell. The file is opened once a thread
/// and closed when the thread ends.
int64_t thread_run_queue_ns();

/// Nanoseconds that a sampled firing spends on reading both before and after its body: measured,
/// not assumed.
int64_t measure_sample_cost();

}  // namespace penstock
