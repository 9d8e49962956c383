#pragma once
/// Facts about the machine and this process, read from the kernel when asked.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/snapshot.h"

namespace penstock {

/// CPUs that are online.
int online_cpus();
/// CPUs that this process may run on, sorted.
std::vector<int> cpu_affinity();
/// CPUs' worth of time that the control group grants (v2 `cpu.max`, v1 `cpu.cfs_quota_us`, the
/// tightest on the way to the root), or nothing. `root` and `self` stand for /sys/fs/cgroup and
/// /proc/self/cgroup in tests.
std::optional<double> cgroup_cpu_quota(const std::string& root = "/sys/fs/cgroup",
                                       const std::string& self = "/proc/self/cgroup");
/// CPUs that work can really use: the affinity's number, or the quota rounded up where it is less.
int usable_cpus();
/// CPU time that was used, stolen and withheld on the CPUs of this process (10 ms at a time);
/// unknown where the kernel does not tell. The paths stand for others in tests.
CpuTimes cpu_times(const std::vector<int>& cpus, const std::string& stat = "/proc/stat",
                   const std::string& cgroup_root = "/sys/fs/cgroup",
                   const std::string& self = "/proc/self/cgroup");
/// Largest resident size so far in bytes (VmHWM); 0 where the kernel does not tell.
uint64_t peak_resident_bytes();
/// CPU time of the whole process in nanoseconds.
int64_t process_cpu_ns();
/// Version of the oneTBB in this process, or "" when none is loaded.
std::string loaded_tbb_version();
/// Version of the libtorch in this process, "unknown" when its folder does not tell, or "" when
/// none is loaded.
std::string loaded_torch_version();

}  // namespace penstock
