#include "measure/machine.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

#include "penstock/spin.h"

using namespace penstock;

namespace {

/// A made-up control group tree that goes with the test.
class Tree {
 public:
  Tree() {
    std::string name = (std::filesystem::temp_directory_path() / "cgroup-XXXXXX").string();
    root_ = mkdtemp(name.data());
  }
  ~Tree() { std::filesystem::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    const auto file = root_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text << "\n";
  }
  CpuTimes times(const std::vector<int>& cpus) const {
    return cpu_times(cpus, (root_ / "stat").string(), (root_ / "fs").string(),
                     (root_ / "self").string());
  }
  std::optional<double> quota() const {
    return cgroup_cpu_quota((root_ / "fs").string(), (root_ / "self").string());
  }

 private:
  std::filesystem::path root_;
};

int64_t tick_ns() { return 1'000'000'000 / sysconf(_SC_CLK_TCK); }

}  // namespace

TEST_CASE("a version 2 quota is the tightest one up to the root") {
  Tree tree;
  tree.write("self", "0::/jobs/one");
  CHECK_FALSE(tree.quota());
  tree.write("fs/jobs/one/cpu.max", "max 100000");
  CHECK_FALSE(tree.quota());
  tree.write("fs/jobs/cpu.max", "150000 100000");
  CHECK(tree.quota() == 1.5);
  tree.write("fs/jobs/one/cpu.max", "50000 100000");
  CHECK(tree.quota() == 0.5);
}

TEST_CASE("CPU times are those of the CPUs that are ours") {
  Tree tree;
  tree.write("stat",
             "cpu  30 3 3 300 3 3 3 3 0 0\ncpu0 10 1 2 100 1 1 1 4 0 0\n"
             "cpu1 20 2 1 200 2 2 2 5 0 0\nintr 5");
  tree.write("self", "0::/jobs");
  tree.write("fs/jobs/cpu.stat", "usage_usec 5\nthrottled_usec 1500");
  const CpuTimes times = tree.times({1});
  CHECK(times.known);
  CHECK(times.busy_ns == 27 * tick_ns());
  CHECK(times.steal_ns == 5 * tick_ns());
  CHECK(times.throttled_ns == 1'500'000);
  CHECK(tree.times({0, 1}).busy_ns == (15 + 27) * tick_ns());
  CHECK_FALSE(tree.times({7}).known);
  CHECK_FALSE(cpu_times({0}, "/no/such/file").known);
}

TEST_CASE("a version 1 quota is read from the cpu controller") {
  Tree tree;
  tree.write("self", "5:memory:/m\n4:cpu,cpuacct:/jobs\n0::/");
  tree.write("fs/cpu,cpuacct/jobs/cpu.cfs_quota_us", "-1");
  tree.write("fs/cpu,cpuacct/jobs/cpu.cfs_period_us", "100000");
  CHECK_FALSE(tree.quota());
  tree.write("fs/cpu,cpuacct/jobs/cpu.cfs_quota_us", "250000");
  CHECK(tree.quota() == 2.5);
}

TEST_CASE("facts of this machine make sense") {
  CHECK(online_cpus() >= 1);
  CHECK(!cpu_affinity().empty());
  CHECK(usable_cpus() >= 1);
  CHECK(usable_cpus() <= static_cast<int>(cpu_affinity().size()));
  CHECK(peak_resident_bytes() > 1 << 20);
  CHECK(process_cpu_ns() > 0);
  CHECK(loaded_torch_version().empty());
}

TEST_CASE("spin does fixed work: its count follows the calibration") {
  CHECK(spin_iterations(0) == 0);
  CHECK(spin_iterations(-5) == 0);
  CHECK(spin_iterations(1) >= 1);
  CHECK(spin_iterations(2'000'000) == doctest::Approx(2 * spin_iterations_per_ms()));
  CHECK(spin(10) == spin(10));
  CHECK(spin(10) != spin(11));
}
