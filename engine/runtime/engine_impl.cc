#include "runtime/engine_impl.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "measure/machine.h"
#include "measure/thread_clock.h"
#include "plan/limits.h"
#include "runtime/clock.h"
#include "runtime/forked.h"
#include "runtime/run_core.h"
#include "runtime/startable_threads.h"
#include "runtime/tbb_executor.h"

namespace penstock {
namespace {

std::string no_threads_text(int needed, int got) {
  std::string text = fmt::format(
      "the run needs {} more threads and the system lets this process start {} (see ulimit -u, "
      "ulimit -v and the control group's pids.max); ",
      needed, got);
  return text + (got < 2 ? "workers: 0 needs none" : "set `threads` lower, or workers: 0 for none");
}

}  // namespace

void MemoryBudget::drop(size_t bytes) {
  const int64_t before = live_.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_seq_cst);
  if (bound_ == 0 || before < bound_ || before - static_cast<int64_t>(bytes) >= bound_) return;
  std::vector<RunCore*> runs;
  {
    std::lock_guard lock(mutex_);
    runs = runs_;
    for (RunCore* run : runs) run->enter();  // none of them ends while we kick
  }
  for (RunCore* run : runs) {
    run->budget_opened();
    run->leave();
  }
}

void MemoryBudget::join(RunCore* run) {
  std::lock_guard lock(mutex_);
  runs_.push_back(run);
}

void MemoryBudget::leave(RunCore* run) {
  std::lock_guard lock(mutex_);
  std::erase(runs_, run);
}

EngineImpl::EngineImpl(int threads, int64_t memory_bytes)
    : threads_(threads > 0 ? threads : usable_cpus()),
      sample_cost_ns_(measure_sample_cost()),
      budget_(std::make_shared<MemoryBudget>(memory_bytes)),
      io_(&items_) {
  if (threads < 0 || threads > kMaxThreads) {
    throw std::invalid_argument(fmt::format(
        "an engine has 1 to {} threads, or 0: as many as CPUs; not {}", kMaxThreads, threads));
  }
  if (memory_bytes < 0) {
    throw std::invalid_argument("an engine's memory is a number of bytes, or 0: no bound; not " +
                                std::to_string(memory_bytes));
  }
  prepare_clock();
}

EngineImpl::~EngineImpl() = default;

std::string EngineImpl::prepare(int io) {
  require_threads();
  std::lock_guard lock(mutex_);
  io = std::min(io, IoThreads::kMost);
  if (arena_ && io <= io_.allowed()) return {};
  constexpr int kSpare = 8;  // others need threads too, and the memory that they take
  const int least = (arena_ ? 0 : threads_) + (io > 0 ? 1 : 0);
  const int most = io > 0 ? least + io - 1 + kSpare : least;
  const int got = startable_threads(most);
  note_threads();
  if (got < least) throw std::runtime_error(no_threads_text(least, got));
  if (!arena_) arena_ = std::make_unique<TbbArena>(threads_);
  const int possible = got == most ? io : std::min(io, 1 + (got - least) / 2);
  if (io > 0) io_.allow(possible);
  if (possible == io) return {};
  return fmt::format(
      "the system lets this process start only {} more threads (ulimit -u, ulimit -v): at most {} "
      "blocking bodies, not {}, will run at a time",
      got, possible, io);
}

}  // namespace penstock
