#pragma once
/// What would be: a run of the same graph in an event-driven model, with other slots, queues,
/// order, threads, CPUs or costs. Pure and deterministic: equal arguments give equal results.
///
/// The model: bodies need CPU time and then other time, both by the same factor: recorded services
/// in their order, or drawn from the measured spread of the node's services. Threads that need a
/// CPU share CPUs as in shared_cpus.h. A body on the CPU threads needs one of them throughout, the
/// deepest ready firing first. A finished result stays in its slot until it is its
/// turn (`ordered`) and the edges have room. A node whose outputs are bounded starts no firing
/// while as many of them are not let go of; the consumer lets go of one of each such node when it
/// ends a batch. The engine's CPU time is spread over all firings.

#include <cstdint>
#include <vector>

#include "diagnose/costs.h"
#include "penstock/verdict.h"

namespace penstock {

struct Simulated {
  double batches_per_s = 0;
  double wait_ms = 0;             ///< of the consumer, mean
  std::vector<double> queued_ms;  ///< a firing's wait for a CPU, by node; the consumer's last
};

/// One run of the model; the first fifth is left out. Not for serial runs, which need no model.
Simulated simulate(const Costs& costs, uint64_t seed);

/// The rates of kReplicates runs with seeds of their own.
inline constexpr int kReplicates = 10;
std::vector<double> simulated_rates(const Costs& costs);
/// Their mean.
double mean_rate(const std::vector<double>& rates);
double simulated_rate(const Costs& costs);

/// Rate with `changed` / rate with `costs`, each pair of runs with the same random numbers. The
/// interval covers 90 % of what replicates give for the mean, and on both sides 15 % of what is
/// gained, which is about what the model has been wrong by (docs/verdict.md).
Gain simulated_gain(const Costs& costs, const Costs& changed);
/// `rates`: the first of simulated_rates() of the costs before, two or more.
Gain simulated_gain(const std::vector<double>& rates, const Costs& changed);

}  // namespace penstock
