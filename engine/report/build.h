#pragma once
/// From two snapshots of a run to its report: the only place where clocks become figures.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/run_log.h"
#include "measure/snapshot.h"
#include "penstock/item.h"
#include "penstock/report.h"
#include "plan/plan.h"

namespace penstock {

/// What snapshots do not know.
struct ReportContext {
  std::string status = "complete";  ///< complete | stopped | failed
  uint32_t epochs = 0;              ///< epochs that were completed or begun
  uint64_t warmup_batches = 0;      ///< delivered before `begin`
  bool steady = false;
  std::optional<double> work_reference_ms;
  std::optional<uint64_t> spin_iterations;
  std::optional<std::string> digest;
  std::vector<ErrorInfo> skipped;  ///< samples that a policy left out
  std::optional<ErrorInfo> error;  ///< why the run failed
  std::vector<std::string> notes;
  std::optional<RunLog> log;              ///< for the verdict; nothing: there is none
  bool serial = false;                    ///< `workers: 0`
  std::optional<MachineReport> machine;   ///< nothing: read now
  std::optional<uint64_t> rss_max_bytes;  ///< nothing: read now
};

/// The figures of the window end - begin. Both snapshots are of one run of `plan`, `begin` the
/// older one; a default-constructed `begin` stands for the run's start. High waters (fill_max,
/// bytes_max, bytes_in_flight_max, rss_max_bytes) and errors are those of the whole run.
Report build_report(const Plan& plan, const Snapshot& begin, const Snapshot& end,
                    const ReportContext& context);

/// Facts of this machine and process.
MachineReport machine_report();

/// The id of the node at an edge's end; "consumer" for the consumer.
std::string node_name(const Plan& plan, int node);

}  // namespace penstock
