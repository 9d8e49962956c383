// Small machines and host programs with limits of their own: no hang, and their settings stay.
#include <doctest/doctest.h>
#include <oneapi/tbb/global_control.h>
#include <sched.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <string>

#include "support/graph_run.h"

namespace penstock::testing {
namespace {

size_t allowed() {
  return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
}

void some_graphs() {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    for (const Mode& mode : all_modes(seed, 1)) {
      CHECK(try_graph(random_graph(seed), mode) == "");
    }
  }
}

TEST_CASE("a host that holds oneTBB at one thread is not changed and does not hang") {
  const size_t before = allowed();
  {
    tbb::global_control host(tbb::global_control::max_allowed_parallelism, 1);
    some_graphs();
    CHECK(allowed() == 1);
  }
  CHECK(allowed() == before);
}

TEST_CASE("the host's limit on threads is the same after a run") {
  const size_t before = allowed();
  some_graphs();
  CHECK(allowed() == before);
}

TEST_CASE("one CPU by affinity is enough") {
  cpu_set_t cpus;
  REQUIRE(sched_getaffinity(0, sizeof(cpus), &cpus) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &cpus)) ++first;
  char self[PATH_MAX] = {};
  REQUIRE(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
  // A process of its own: oneTBB looks at the affinity once.
  const std::string command = "PENSTOCK_GRAPHS=8 taskset -c " + std::to_string(first) + " '" +
                              self + "' --test-case='random graphs*' >/dev/null";
  CHECK(std::system(command.c_str()) == 0);
}

}  // namespace
}  // namespace penstock::testing
