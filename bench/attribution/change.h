#pragma once
/// Single changes of a pipeline: what the truth is found with, and what a verdict advises.

#include <string>
#include <vector>

#include "attribution/case.h"

namespace penstock::bench::attribution {

enum class Lever : uint8_t {
  kHalf,     ///< a node's body, or the consumer's work, in half the time
  kSlots,    ///< `value` slots of a node
  kThreads,  ///< `value` CPU threads
  kOrder,    ///< order: any of a node
  kQueue,    ///< the queue into a node or the consumer has `value` places
  kQueues,   ///< every queue `value` times as deep
};

struct Change {
  Lever lever = Lever::kHalf;
  std::string id;  ///< of a node, or "consumer"
  int value = 2;
  /// "half read0", "slots read0 3".
  std::string text() const;
  /// What is to be worked on: a node's id, "consumer", "threads", "order read0", "queues".
  std::string answer() const;
};

/// The pipeline with all of these changes.
PipelineCase with(const PipelineCase& pipeline, const std::vector<Change>& changes);

/// Every change that is tried to find the truth: each body in half the time, the consumer's work
/// too; one more slot of each node; twice the threads; any order where a node has several slots and
/// uneven times; queues twice as deep.
std::vector<Change> every_change(const PipelineCase& pipeline);

}  // namespace penstock::bench::attribution
