#include "measure/machine.h"

#include <dlfcn.h>
#include <link.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>

namespace penstock {
namespace {

std::optional<std::string> read_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  return line;
}

std::optional<double> to_number(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data()) return std::nullopt;
  return value;
}

/// "max 100000" or "150000 100000".
std::optional<double> quota_v2(const std::string& folder) {
  const auto line = read_line(folder + "/cpu.max");
  if (!line) return std::nullopt;
  std::istringstream words(*line);
  std::string quota, period;
  words >> quota >> period;
  const auto q = to_number(quota), p = to_number(period);
  if (!q || !p || *p <= 0) return std::nullopt;
  return *q / *p;
}

std::optional<double> quota_v1(const std::string& folder) {
  const auto quota = read_line(folder + "/cpu.cfs_quota_us");
  const auto period = read_line(folder + "/cpu.cfs_period_us");
  if (!quota || !period) return std::nullopt;
  const auto q = to_number(*quota), p = to_number(*period);
  if (!q || !p || *q <= 0 || *p <= 0) return std::nullopt;  // -1: no limit
  return *q / *p;
}

/// The tightest quota from `path` up to the mount's root.
template <typename ReadQuota>
std::optional<double> tightest(const std::string& mount, std::string path, ReadQuota read_quota) {
  std::optional<double> least;
  while (true) {
    const std::optional<double> quota = read_quota(mount + path);
    if (quota && (!least || *quota < *least)) least = quota;
    if (path.empty() || path == "/") return least;
    path.resize(path.rfind('/'));
  }
}

/// Whether the controllers of a line of /proc/self/cgroup ("cpu,cpuacct") include cpu.
bool has_cpu(const std::string& controllers) {
  std::istringstream list(controllers);
  for (std::string name; std::getline(list, name, ',');) {
    if (name == "cpu") return true;
  }
  return false;
}

/// Time that the quota of the process's own v2 control group held it back.
int64_t throttled_ns(const std::string& root, const std::string& self) {
  std::ifstream groups(self);
  for (std::string line; std::getline(groups, line);) {
    if (line.rfind("0::", 0) != 0) continue;
    std::ifstream stat(root + line.substr(3) + "/cpu.stat");
    std::string name;
    for (int64_t value = 0; stat >> name >> value;) {
      if (name == "throttled_usec") return value * 1000;
    }
  }
  return 0;
}

int find_torch(dl_phdr_info* info, size_t, void* found) {
  const std::string path = info->dlpi_name;
  if (path.find("/libtorch_cpu.so") == std::string::npos) return 0;
  *static_cast<std::string*>(found) = path.substr(0, path.rfind('/'));
  return 1;
}

}  // namespace

int online_cpus() { return std::max(1, static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN))); }

std::vector<int> cpu_affinity() {
  std::vector<int> cpus;
  for (int count = 1024; count <= 1 << 20; count *= 2) {
    cpu_set_t* set = CPU_ALLOC(count);
    const size_t size = CPU_ALLOC_SIZE(count);
    const bool fits = sched_getaffinity(0, size, set) == 0;
    for (int cpu = 0; fits && cpu < count; ++cpu) {
      if (CPU_ISSET_S(cpu, size, set)) cpus.push_back(cpu);
    }
    CPU_FREE(set);
    if (fits) break;
  }
  return cpus;
}

std::optional<double> cgroup_cpu_quota(const std::string& root, const std::string& self) {
  std::optional<double> least;
  std::ifstream file(self);
  for (std::string line; std::getline(file, line);) {  // "0::/path" or "4:cpu,cpuacct:/path"
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    std::optional<double> quota;
    if (controllers.empty()) {
      quota = tightest(root, path, quota_v2);
    } else if (has_cpu(controllers)) {
      quota = tightest(root + "/" + controllers, path, quota_v1);
      if (!quota) quota = tightest(root + "/cpu", path, quota_v1);
    }
    if (quota && (!least || *quota < *least)) least = quota;
  }
  return least;
}

int usable_cpus() {
  int cpus = static_cast<int>(cpu_affinity().size());
  if (cpus == 0) cpus = online_cpus();
  if (const auto quota = cgroup_cpu_quota()) {
    cpus = std::min(cpus, static_cast<int>(std::ceil(*quota)));
  }
  return std::max(1, cpus);
}

CpuTimes cpu_times(const std::vector<int>& cpus, const std::string& stat,
                   const std::string& cgroup_root, const std::string& self) {
  const int64_t tick_ns = 1'000'000'000 / std::max<int64_t>(1, sysconf(_SC_CLK_TCK));
  CpuTimes times;
  std::ifstream file(stat);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("cpu", 0) != 0) break;
    std::istringstream words(line.substr(3));
    int cpu = -1;
    int64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
    if (line[3] == ' ' || !(words >> cpu)) continue;  // the sum of all
    if (!(words >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal)) continue;
    if (std::find(cpus.begin(), cpus.end(), cpu) == cpus.end()) continue;
    times.busy_ns += (user + nice + system + irq + softirq) * tick_ns;
    times.steal_ns += steal * tick_ns;
  }
  times.known = times.busy_ns > 0;
  if (times.known) times.throttled_ns = throttled_ns(cgroup_root, self);
  return times;
}

uint64_t peak_resident_bytes() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("VmHWM:", 0) != 0) continue;
    std::istringstream words(line.substr(6));
    std::string number;
    words >> number;
    return static_cast<uint64_t>(to_number(number).value_or(0)) * 1024;
  }
  return 0;
}

int64_t process_cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec * int64_t{1000000000} + now.tv_nsec;
}

std::string loaded_tbb_version() {
  using Version = const char* (*)();
  const auto version = reinterpret_cast<Version>(dlsym(RTLD_DEFAULT, "TBB_runtime_version"));
  return version == nullptr ? "" : version();
}

std::string loaded_torch_version() {
  std::string folder;  // .../torch/lib, of a wheel or of an unpacked libtorch
  if (dl_iterate_phdr(find_torch, &folder) == 0) return "";
  if (const auto line = read_line(folder + "/../build-version")) return *line;
  std::ifstream file(folder + "/../version.py");
  for (std::string line; std::getline(file, line);) {  // __version__ = '2.1.0+cpu'
    if (line.rfind("__version__", 0) != 0) continue;
    const size_t begin = line.find_first_of("'\""), end = line.find_last_of("'\"");
    if (begin != std::string::npos && end > begin) return line.substr(begin + 1, end - begin - 1);
  }
  return "unknown";
}

}  // namespace penstock
