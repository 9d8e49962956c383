#pragma once
/// Operators whose bodies cost what a case says, and the plan of a case.

#include <memory>

#include "attribution/case.h"
#include "plan/plan.h"

namespace penstock::bench::attribution {

/// One body: fixed iterations of CPU work and a sleep, both times the factor of its sample.
class Load {
 public:
  Load(double cpu_ms, double off_ms, const Spread& spread, uint64_t seed);
  /// Its `call`-th body.
  void work(uint64_t call) const;

 private:
  const double iterations_, off_ns_;
  const std::vector<float> table_;
};

/// The pipeline; throws std::logic_error with the plan's mistakes. Its source never ends.
std::shared_ptr<const Plan> plan_of(const PipelineCase& pipeline);

/// The consumer's work.
Load consumer_load(const PipelineCase& pipeline);

}  // namespace penstock::bench::attribution
