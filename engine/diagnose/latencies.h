#pragma once
/// Time that slots lose though a CPU is free. Pure.

#include "diagnose/costs.h"

namespace penstock {

/// Fills in `latency_ms` of the nodes and the consumer: the time in the run queue beyond what
/// sharing the CPUs explains in the model (a kernel wakes threads late, and two on one CPU while
/// another is idle), and for slots with threads of their own the time until the thread, and then
/// the engine, have noticed.
void add_latencies(Costs* costs);

}  // namespace penstock
