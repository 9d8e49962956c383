#include "measurement.h"

#include <time.h>

#include <algorithm>
#include <fstream>

#include "measure/machine.h"

namespace penstock::bench {
namespace {

std::string model_of_cpu() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "";
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

int64_t cpu_now() { return process_cpu_ns(); }

int64_t wall_now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

std::string graph_of(const Settings& settings) {
  return settings.graph.empty() ? std::string(PENSTOCK_BENCH_SOURCE) + "/graphs/quickstart.yaml"
                                : settings.graph;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

nlohmann::ordered_json spread(const std::vector<double>& values) {
  if (values.empty()) return nullptr;
  return {{"median", median(values)},
          {"low", *std::min_element(values.begin(), values.end())},
          {"high", *std::max_element(values.begin(), values.end())},
          {"count", values.size()}};
}

nlohmann::ordered_json machine() {
  nlohmann::ordered_json facts;
  facts["cpu"] = model_of_cpu();
  facts["cpus"] = online_cpus();
  facts["usable_cpus"] = usable_cpus();
  if (const auto quota = cgroup_cpu_quota()) facts["quota"] = *quota;
  facts["kernel"] = first_line("/proc/sys/kernel/osrelease");
  facts["clocksource"] =
      first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  facts["load_average"] = first_line("/proc/loadavg").substr(0, 14);
  facts["tbb"] = loaded_tbb_version();
  facts["compiler"] = __VERSION__;
#ifdef NDEBUG
  facts["build"] = "release";
#else
  facts["build"] = "debug";
#endif
#ifdef PENSTOCK_NO_CLOCKS
  facts["clocks"] = false;
#else
  facts["clocks"] = true;
#endif
  return facts;
}

}  // namespace penstock::bench
