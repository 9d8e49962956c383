#pragma once
/// Seeded pipelines with a planted limit.

#include <cstdint>

#include "attribution/case.h"

namespace penstock::bench::attribution {

/// The pipeline of that seed: equal for equal seeds. Its period by the planted limit is
/// `period_ms`; every other resource would allow at least `margin` times the rate, the runner-up
/// exactly that where it is a node's or the consumer's.
PipelineCase generate(uint64_t seed);

}  // namespace penstock::bench::attribution
