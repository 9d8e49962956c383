#pragma once
/// The highest rate that each resource allows (operational bounds: a resource that is needed for d
/// seconds a batch and is there c times gives at most c / d batches a second; Denning and Buzen,
/// "The operational analysis of queueing network models", 1978). All pure.

#include <string>
#include <vector>

#include "diagnose/costs.h"
#include "penstock/verdict.h"

namespace penstock {

enum class Resource : uint8_t {
  kSlots,     ///< a node's: slots / (visits x service)
  kCpu,       ///< CPUs / CPU time of a batch, the consumer's and the engine's included
  kThreads,   ///< CPU threads / time of the bodies on them; in a serial run: 1 / all its time
  kDevice,    ///< a link's: 1 / (visits x copy)
  kConsumer,  ///< 1 / the consumer's work
};

/// "node", "cpu", "threads", "device", "consumer".
std::string limit_name(Resource resource);

/// Whether each node has one of its own.
bool is_of_node(Resource resource);

struct Bound {
  Resource resource = Resource::kConsumer;
  size_t node = 0;  ///< of kSlots and kDevice
  double batches_per_s = 0;
};

/// Every bound there is, lowest first; those that need no time are left out. Time in the run queue
/// counts for none of them: the CPU is what it waits for. A serial run has those of its CPU and of
/// its one thread only.
std::vector<Bound> bounds_of(const Costs& costs);

/// The rate by the bounds alone: the lowest one. 0 without any.
double lowest(const std::vector<Bound>& bounds);

/// The lowest bound and those within `tolerance` above it. Threads that the CPU ties with are left
/// out: more of them would only wait for it.
std::vector<Bound> limiting(const std::vector<Bound>& bounds, double tolerance);

/// What a setting would give.
struct Prediction {
  double examples_per_s = 0;
  std::string limit;               ///< as in Verdict
  std::vector<std::string> nodes;  ///< whose slots limit
};

/// The lowest bound of `changed`, scaled by how far `measured` stays behind its own: what the
/// bounds do not explain is taken to stay in proportion. Not so from a serial run: what it loses
/// beyond its bounds is time in which its one thread waited for a CPU that others used, and the
/// threads of another setting go on meanwhile.
Prediction predict(const Costs& measured, const Costs& changed);

}  // namespace penstock
