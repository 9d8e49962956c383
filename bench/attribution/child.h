#pragma once
/// Runs of a case, each in a process of its own, so that CPUs, timers and the thread pool of one
/// leave nothing behind for the next.

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "attribution/case.h"

namespace penstock::bench::attribution {

/// What `work` returns, from a child process; {"error": "..."} where it failed or took longer than
/// `seconds`. This process must have no other threads.
nlohmann::ordered_json in_child(const std::function<nlohmann::ordered_json()>& work, int seconds);

/// A run of so many batches, of which the first `warmup` do not count.
struct RunLength {
  uint64_t batches = 81, warmup = 16;
};

/// So many periods of the cost tables, after a warm-up.
RunLength run_length(uint64_t periods);

/// Batches a second on the case's CPUs; nothing where the run failed.
std::optional<double> measure_rate(const PipelineCase& pipeline, const RunLength& length);

/// A run as a user has it: the verdict, what the baselines name, and the costs that were measured.
nlohmann::ordered_json observe(const PipelineCase& pipeline, const RunLength& length);

}  // namespace penstock::bench::attribution
