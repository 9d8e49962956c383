#pragma once
/// Differences of clocks, and `running` in its three parts.

#include <cstdint>
#include <optional>

#include "measure/snapshot.h"

namespace penstock {

/// `running` in three integers that sum to it.
struct RunningSplit {
  int64_t on_cpu = 0;
  std::optional<int64_t> run_queue;  ///< nothing where the system does not tell
  int64_t off_cpu = 0;
};

/// Divides `running_ns` by the ratios of the sampled firings (cpu / wall and run queue / wall,
/// clamped to [0, wall]). Without a sample: all on_cpu for a unit that computes, all off_cpu for
/// one that waits.
RunningSplit split_running(int64_t running_ns, const SampledClocks& sampled, bool computes);

/// newer - older, field by field.
SlotStates operator-(const SlotStates& newer, const SlotStates& older);
SampledClocks operator-(const SampledClocks& newer, const SampledClocks& older);

}  // namespace penstock
