#pragma once
/// The largest numbers that a pipeline may ask for, wherever they are given.

#include <cstdint>

namespace penstock {

inline constexpr int64_t kMaxThreads = 4096;
inline constexpr int64_t kMaxConcurrency = 4096;
inline constexpr int64_t kMaxQueueItems = int64_t{1} << 20;

}  // namespace penstock
