#pragma once
/// The clocks and counters of a run at one moment, as plain values. All durations are integer
/// nanoseconds since the run's start with open states closed to `now`; two snapshots subtract.

#include <cstdint>
#include <string>
#include <vector>

#include "measure/histogram.h"
#include "penstock/device.h"
#include "penstock/schema.h"

namespace penstock {

/// Time of a unit's slots by state. Sum of all = concurrency x the unit's `now`, exactly.
struct SlotStates {
  std::vector<int64_t> starved;  ///< by in-edge (a source has one entry)
  int64_t thread_wait = 0;
  int64_t running = 0;
  int64_t handover = 0;
  int64_t order_held = 0;
  std::vector<int64_t> blocked;  ///< by out-edge (a sink has one entry)
  int64_t blocked_pool = 0;
  int64_t drained = 0;
  int64_t sum() const;
};

/// Thread clocks read around some of the firings; they split `running`.
struct SampledClocks {
  uint64_t firings = 0;  ///< how many were sampled
  int64_t wall_ns = 0;   ///< of the sampled bodies
  int64_t cpu_ns = 0;
  int64_t run_queue_ns = 0;
  bool has_run_queue = false;
};

struct UnitSnapshot {
  std::string id;
  int64_t now = 0;  ///< to which this unit's open states are closed; sum = concurrency x now
  int concurrency = 1;
  SlotStates states;
  SampledClocks sampled;
  uint64_t firings = 0, items_in = 0, items_out = 0, skipped = 0, filtered = 0, errors = 0;
  uint64_t epoch_ends = 0;  ///< of the firings, those that only passed an epoch's end
  uint64_t clamps = 0;      ///< stamps that had to be put in order
  Histogram service;        ///< body durations
  DeviceFigures device;
  Tallies tallies{};
};

struct EdgeSnapshot {
  int64_t now = 0;  ///< to which this edge's integrals are closed
  uint64_t capacity = 0, capacity_bytes = 0;
  uint64_t puts = 0, gets = 0, content = 0, discarded = 0;
  uint64_t fill_max = 0, bytes = 0, bytes_max = 0;
  int64_t occupancy_ns = 0;  ///< integral of the number of entries over time
  int64_t residence_ns = 0;  ///< sum of the time entries have spent in it; equals occupancy_ns
  int64_t empty_ns = 0, full_ns = 0;
};

/// CPU time on the CPUs that this process may use, since the machine's start.
struct CpuTimes {
  bool known = false;
  int64_t busy_ns = 0;       ///< of all programs
  int64_t steal_ns = 0;      ///< taken by the host of a virtual machine
  int64_t throttled_ns = 0;  ///< that the control group's quota held its threads back
};

struct ConsumerSnapshot {
  uint64_t batches = 0, examples = 0;
  int64_t wait_ns = 0;  ///< inside next()
  int64_t work_ns = 0;  ///< outside, from the first next() on; wait + work = its wall
  int64_t wall_ns = 0;
  int64_t first_batch_ns = -1;  ///< from start to the first batch; -1: none yet
  Histogram wait, work;         ///< per batch
  SampledClocks work_clocks;    ///< of some of the work between calls
};

struct Snapshot {
  int64_t now = 0;                  ///< nanoseconds since the run's start
  std::vector<UnitSnapshot> units;  ///< as the plan's units
  std::vector<EdgeSnapshot> edges;  ///< as the plan's edges
  ConsumerSnapshot consumer;
  int64_t bytes_in_flight = 0, bytes_in_flight_max = 0;
  uint64_t admissions = 0;  ///< firings let through the closed memory budget
  int64_t process_cpu_ns = 0;
  int64_t thread_run_ns = 0, thread_idle_ns = 0;  ///< of the CPU threads; sum = threads x wall
  int threads = 0;
  CpuTimes cpus;  ///< known in the states that a run keeps of itself
};

}  // namespace penstock
