#include "runtime/engine_impl.h"

#include <algorithm>

#include "measure/machine.h"
#include "measure/thread_clock.h"
#include "runtime/clock.h"
#include "runtime/run_core.h"
#include "runtime/tbb_executor.h"

namespace penstock {

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
  prepare_clock();
}

EngineImpl::~EngineImpl() = default;

TbbArena& EngineImpl::arena() {
  std::lock_guard lock(mutex_);
  if (!arena_) arena_ = std::make_unique<TbbArena>(threads_);
  return *arena_;
}

}  // namespace penstock
