#pragma once
/// The system's limits that a run could hit, looked at before it starts.

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.h"

namespace penstock::cli {

inline constexpr uint64_t kUnlimited = ~uint64_t{0};

struct SystemLimits {
  uint64_t open_files = kUnlimited;
  uint64_t locked_bytes = kUnlimited;
};

/// RLIMIT_NOFILE and RLIMIT_MEMLOCK of this process.
SystemLimits system_limits();

/// One warning for each limit that the plan is likely to hit: files that blocking nodes hold open,
/// memory that nodes pin. Pure.
std::vector<std::string> limit_warnings(const Plan& plan, const SystemLimits& limits);

}  // namespace penstock::cli
