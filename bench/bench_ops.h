#pragma once
/// Small operators for measuring and a way to chain them.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plan/plan.h"
#include "plan/registry.h"

namespace penstock::bench {

/// Operators: `items {count, ns}` (two shared tensors, no allocation), `pass` (nothing), `work
/// {ns}` (that much CPU work), `wait {ns}` (blocking), `group {size}` (a batch without content),
/// `end {ns}` (a Sink).
const Registry& bench_registry();

/// A node of a pipeline: {"wait", "ns", 1000}.
struct Stage {
  std::string op;
  std::string param = {};
  int64_t value = 0;
  int concurrency = 1;
  int capacity = 8;
  int64_t work_ns = 0;  ///< `ns` of items, work and end
};

/// A chain for the consumer; throws std::logic_error with the plan's mistakes.
std::shared_ptr<const Plan> chain(const std::vector<Stage>& stages);
/// A chain that ends in a Sink, next to a source of one item that the consumer reads: the
/// consumer sleeps until the Sink has everything.
std::shared_ptr<const Plan> chain_to_sink(const std::vector<Stage>& stages);

}  // namespace penstock::bench
