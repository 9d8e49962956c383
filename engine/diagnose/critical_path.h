#pragma once
/// What each batch waited for, step by step back from the consumer. Pure.
///
/// From the moment that a batch arrived the way leads back to what made it possible last: the
/// consumer's own work where the batch lay ready; else the firing that made it, there the body, the
/// wait for a thread or for memory, the firing before it that it had to wait for (order), the room
/// that the next unit made, and before all that the firing whose output it took or whose slot it
/// got, whichever came last. Each stretch of time is charged to one cause.

#include <cstdint>
#include <string>
#include <vector>

#include "diagnose/costs.h"
#include "measure/firing.h"
#include "penstock/verdict.h"

namespace penstock {

/// Nanoseconds by cause. All of them sum to `total` exactly.
struct PathBlame {
  std::vector<int64_t> nodes;  ///< bodies, by unit
  int64_t consumer = 0;        ///< its work
  int64_t threads = 0;         ///< ready, without a thread
  int64_t memory = 0;          ///< ready but for memory of the output
  int64_t engine = 0;          ///< between an end and what it made possible
  int64_t unknown = 0;         ///< what was not recorded
  int64_t total = 0;           ///< time of all recorded stretches of deliveries
  uint64_t batches = 0;
};

/// Blame for the deliveries within [begin_ns, end_ns]. Deliveries must be in order; a stretch ends
/// where the firings that made two of them do not follow each other.
PathBlame critical_path(const GraphFacts& graph, const FiringLog& log, int64_t begin_ns,
                        int64_t end_ns);

/// The parts by cause, largest first.
std::vector<PathShare> shares_of(const GraphFacts& graph, const PathBlame& blame);

/// Whether the critical path blames what the bounds name.
enum class Agreement : uint8_t { kUnknown, kAgrees, kDisagrees };

/// A node (or the order behind it) and the consumer must have the largest part of the path; the CPU
/// and the threads at least half of it, in computing and waiting for them. Unknown without ten
/// batches, with more than 30 % of the path unknown, and for limits that have no place on it.
Agreement agreement_of(const Costs& costs, const PathBlame& blame, const std::string& limit,
                       const std::vector<std::string>& nodes);

}  // namespace penstock
