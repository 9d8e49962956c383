#define TORCH_ASSERT_ONLY_METHOD_OPERATORS
#include <ATen/Parallel.h>
#include <ATen/ops/ones.h>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <penstock/torch.h>

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include "runtime/run.h"
#include "support/plain_operators.h"
#include "support/plan_builder.h"

namespace penstock {
namespace {

/// Threads that OpenMP and MKL would use for a call on this thread.
struct Teams {
  int openmp = 0, mkl = 0;
  friend bool operator==(const Teams&, const Teams&) = default;
};

Teams teams_here() {
  const auto mkl = reinterpret_cast<int (*)()>(dlsym(RTLD_DEFAULT, "MKL_Get_Max_Threads"));
  return {at::get_num_threads(), mkl == nullptr ? 0 : mkl()};
}

Teams teams_of_a_new_thread() {
  Teams teams;
  std::thread([&] { teams = teams_here(); }).join();
  return teams;
}

/// What the bodies of one run saw, after they had computed something with libtorch.
struct Seen {
  std::mutex mutex;
  std::vector<Teams> teams;
};

class Product : public Operator {
 public:
  explicit Product(Seen* seen) : seen_(seen) {}
  void process(Context&) override {
    const at::Tensor ones = at::ones({64, 64}, at::kFloat);
    const bool right = ones.mm(ones).sum().item<float>() == 64 * 64 * 64;
    if (!right) throw std::runtime_error("wrong product");
    std::lock_guard lock(seen_->mutex);
    seen_->teams.push_back(teams_here());
  }

 private:
  Seen* seen_;
};

/// Runs 40 bodies on the CPU threads and 40 on the I/O threads and returns what they saw.
std::vector<Teams> teams_inside_bodies(Scheduling scheduling) {
  Seen seen;
  Registry registry = plain_registry();
  const auto add = [&](const char* name, Where where) {
    const OperatorFactory make = [&seen](const Params&) {
      return std::make_unique<Product>(&seen);
    };
    registry.add({Schema(name, Kind::kMap, "Multiplies.").where(where), make}, "test");
  };
  add("product", Where::kCpu);
  add("blocking_product", Where::kBlocking);
  const auto plan = plan_or_throw(PlanBuilder()
                                      .node("read", "numbers")
                                      .param("sizes", "[40]")
                                      .node("cpu", "product")
                                      .concurrency(2)
                                      .node("io", "blocking_product")
                                      .concurrency(3),
                                  registry);
  RunOptions options;
  options.scheduling = scheduling;
  options.threads = 2;
  const auto run = RunImpl::start(plan, options);
  while (run->next(std::nullopt).kind != Next::Kind::kEnd) {
  }
  return seen.teams;
}

TEST_CASE("libtorch uses one thread inside bodies, and the host's settings stay as they were") {
  at::set_num_threads(3);  // as a training program may
  const Teams host = teams_here();
  REQUIRE(host.openmp == 3);
  const Teams fresh = teams_of_a_new_thread();
  for (const Scheduling scheduling : {Scheduling::kThreads, Scheduling::kInline}) {
    const std::vector<Teams> inside = teams_inside_bodies(scheduling);
    REQUIRE(inside.size() == 80);
    const auto alone = [&](const Teams& teams) {
      return teams.openmp == 1 && (teams.mkl == 1 || host.mkl == 0);
    };
    CHECK(std::all_of(inside.begin(), inside.end(), alone));
    CHECK(teams_here() == host);
    CHECK(teams_of_a_new_thread() == fresh);
  }
}

}  // namespace
}  // namespace penstock
