#pragma once
/// The figures of a run as plain values: the names and meanings are those of the JSON report.
/// Times in the unit that a name says; shares are fractions of slots x window and sum to 1.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "penstock/verdict.h"

namespace penstock {

struct Spread {
  uint64_t count = 0;  ///< values behind the figures; 0: there are none (null in JSON)
  double mean = 0, p50 = 0, p95 = 0, max = 0;
};

struct NodeShares {
  double starved = 0, thread_wait = 0, on_cpu = 0;
  std::optional<double> run_queue;  ///< nothing where the system does not tell
  double off_cpu = 0, handover = 0, order_held = 0, blocked = 0, blocked_pool = 0, drained = 0;
};

/// Of a node that copies to a device, or into pinned memory. Times by the device's clock.
struct DeviceReport {
  uint64_t copies = 0, transfers = 0, bytes = 0;
  std::optional<double> copy_ms;  ///< mean of a batch; nothing: no copy ended in the window
  double share_of_step = 0;       ///< of the time from batch to batch
  double exposed_ms = 0;          ///< mean of a batch: the consumer waited for it
  std::optional<double> hidden;   ///< the rest of copy_ms, as a part of it
  std::optional<double> step_ms;  ///< the consumer's work there; nothing: it gave no stream
  uint64_t allocations = 0;       ///< of pinned and device memory, since the start
  uint64_t copied_on_host = 0;    ///< bytes that a copy of their own brought into pinned memory
};

struct NodeReport {
  std::string id, op, where, kind;
  int concurrency = 1;
  uint64_t items_in = 0, items_out = 0, skipped = 0, filtered = 0;
  uint64_t firings = 0;  ///< executions of the body
  Spread service_ms;
  std::optional<double> cpu_ms_mean;  ///< of the bodies in service_ms; nothing: none
  NodeShares share;
  std::map<std::string, double> starved_by, blocked_by;   ///< neighbour's id -> share
  std::vector<std::pair<std::string, uint64_t>> tallies;  ///< what the operator counts
  std::optional<DeviceReport> device;
};

struct EdgeReport {
  std::string from, to;
  uint64_t capacity = 0;
  std::optional<uint64_t> capacity_bytes;
  double fill_mean = 0;
  uint64_t fill_max = 0;
  double empty = 0, full = 0;
  uint64_t bytes_max = 0;
  /// Entries: items, ends of epochs, and the places of samples that were left out.
  uint64_t puts = 0, gets = 0;
  uint64_t content_begin = 0, content_end = 0;  ///< entries in it at the window's ends
};

struct MachineReport {
  int cpus = 0;
  std::vector<int> affinity;
  std::optional<double> quota;  ///< CPUs by cgroup
  std::string torch, tbb;       ///< empty: not loaded
};

/// A sample that an `on_error: skip` policy left out.
struct SkippedSample {
  std::string node, key, message;
};

/// What ended a failed run.
struct FailureReport {
  std::string node, where, key, message;
  std::string text;  ///< the whole message as users see it
};

/// The work that stands for the training step when the command line runs a pipeline.
struct ConsumerReport {
  std::string work = "none";                ///< none | spin | sleep | program
  double target_ms = 0;                     ///< as the file says
  std::optional<uint64_t> spin_iterations;  ///< of one step, by the calibration at the start
};

struct Report {
  std::string status = "complete";  ///< complete | stopped | failed
  std::string pipeline, plan;       ///< name, fingerprint (16 hex digits)
  uint64_t seed = 0;
  uint32_t epochs = 0;
  MachineReport machine;
  double window_seconds = 0;
  uint64_t batches = 0, examples = 0, warmup_batches = 0;
  bool steady = false;
  double examples_per_s = 0, first_batch_ms = 0;
  Spread wait_ms, work_ms;
  std::optional<double> work_reference_ms;
  double wait_fraction = 0;
  std::vector<NodeReport> nodes;
  std::vector<EdgeReport> edges;
  uint64_t bytes_in_flight_max = 0, rss_max_bytes = 0;
  double process_cpu_s = 0;
  std::optional<Verdict> verdict;  ///< nothing where the run kept no log of itself
  uint64_t errors_skipped = 0;
  std::map<std::string, uint64_t> errors_by_node;
  std::optional<std::string> digest;
  ConsumerReport consumer;
  std::vector<SkippedSample> skipped_samples;  ///< the first few
  std::optional<FailureReport> error;          ///< of a failed run
  std::vector<std::string> notes;              ///< what a reader must know to trust the figures
};

/// The report as text for people: a head line, one row a node, one row an edge.
std::string format_text(const Report& report);
/// The report as JSON, version 1.
std::string format_json(const Report& report);

}  // namespace penstock
