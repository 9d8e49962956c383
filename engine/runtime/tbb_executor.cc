#include "runtime/tbb_executor.h"

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>

#include "runtime/engine_impl.h"
#include "runtime/openmp_limit.h"
#include "runtime/run_core.h"
#include "runtime/unit.h"

namespace penstock {
namespace {

constexpr uint32_t kWakePriceNs = 5000;  // of waking a parked worker
constexpr auto kParkTime = std::chrono::milliseconds(10);
constexpr auto kOfferEvery = std::chrono::milliseconds(20);
constexpr int kSpins = 150;  // about 3 us before parking

std::vector<int> slots_by_depth(const std::vector<std::unique_ptr<Unit>>& units) {
  std::vector<int> at;
  for (const auto& unit : units) {
    const auto depth = static_cast<size_t>(unit->depth);
    if (at.size() <= depth) at.resize(depth + 1, 0);
    at[depth] += unit->slot_count();
  }
  return at;
}

/// Threads that oneTBB would start one by one while a run goes on, where a failure ends the program
/// or hangs it, are started here: `count` tasks wait for each other. A thread that is late, or that
/// the program's own limits keep back, is not waited for beyond a moment.
void start_workers(tbb::task_arena& arena, int count) {
  struct Meeting {
    std::mutex mutex;
    std::condition_variable changed;
    int missing;
  };
  constexpr int kLooks = 3;
  const auto meeting = std::make_shared<Meeting>();
  meeting->missing = count;
  const auto wait = [](Meeting& at, std::unique_lock<std::mutex>& lock) {
    return at.changed.wait_for(lock, kOfferEvery, [&at] { return at.missing == 0; });
  };
  for (int i = 0; i < count; ++i) {
    arena.enqueue([meeting, wait] {
      std::unique_lock lock(meeting->mutex);
      if (--meeting->missing == 0) meeting->changed.notify_all();
      wait(*meeting, lock);
    });
  }
  std::unique_lock lock(meeting->mutex);
  for (int look = 0; look < kLooks && !wait(*meeting, lock); ++look) {
    lock.unlock();
    arena.enqueue([] {});  // see TbbExecutor::offer_again()
    lock.lock();
  }
}

}  // namespace

// ---------------------------------------------------------------- arena

struct TbbArena::Parts {
  std::optional<tbb::global_control> control;
  std::optional<tbb::task_arena> arena;
};

TbbArena::TbbArena(int threads) : parts_(std::make_unique<Parts>()) {
  // The consumer is not in the arena, so P workers need a limit of P + 1. Several limits mean the
  // smallest: one is made only where it does not lower the host's.
  const size_t active =
      tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
  const auto wanted = static_cast<size_t>(threads) + 1;
  size_t now = wanted;
  if (wanted > active) {
    parts_->control.emplace(tbb::global_control::max_allowed_parallelism, wanted);
    now = tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism);
    if (now < wanted) {
      warning_ = "the program limits TBB to " + std::to_string(now) + " threads, so at most " +
                 std::to_string(std::max<size_t>(1, now - 1)) + " of " + std::to_string(threads) +
                 " CPU threads will work";
    }
  }
  parts_->arena.emplace(threads, 0);
  start_workers(*parts_->arena, static_cast<int>(std::clamp<size_t>(now - 1, 1, wanted - 1)));
}

TbbArena::~TbbArena() = default;

// ---------------------------------------------------------------- graph

using Activation = tbb::flow::function_node<int, tbb::flow::continue_msg>;
using Handover = tbb::flow::async_node<Slot*, tbb::flow::continue_msg, tbb::flow::lightweight>;

struct TbbExecutor::Graph {
  std::optional<tbb::flow::graph> graph;
  std::vector<std::unique_ptr<Activation>> activations;  // by unit; null for blocking ones
  std::vector<std::unique_ptr<Handover>> handovers;      // by unit; null for CPU ones
};

/// What blocking units submit to: the unit's async_node, whose body hands the firing to the I/O
/// threads on the calling thread (lightweight and noexcept, so that no TBB task is made for it).
class TbbExecutor::Gateway final : public Executor {
 public:
  explicit Gateway(TbbExecutor& executor) : executor_(executor) {}
  void submit(Slot& slot, Worker& worker) override {
    executor_.run_.enter();
    if (worker.serves == this && worker.candidate == nullptr) {
      worker.candidate = &slot;  // this I/O thread goes on with its own unit's next firing
      return;
    }
    executor_.graph_->handovers[static_cast<size_t>(slot.unit->index())]->try_put(&slot);
  }

 private:
  TbbExecutor& executor_;
};

TbbExecutor::TbbExecutor(RunCore& run, EngineImpl& engine,
                         const std::vector<std::unique_ptr<Unit>>& units)
    : run_(run),
      engine_(engine),
      threads_(engine.threads()),
      graph_(std::make_shared<Graph>()),
      gateway_(std::make_unique<Gateway>(*this)),
      queue_(slots_by_depth(units)) {
  tbb::task_arena& arena = *engine.arena().parts().arena;
  arena.execute([&] { graph_->graph.emplace(); });
  for (const auto& unit : units) {
    auto& activation = graph_->activations.emplace_back();
    auto& handover = graph_->handovers.emplace_back();
    if (unit->node().where == Where::kCpu) {
      activation = std::make_unique<Activation>(*graph_->graph, tbb::flow::unlimited, [this](int) {
        tbb::this_task_arena::isolate([this] { begin_worker(); });
        return tbb::flow::continue_msg();
      });
    } else {
      handover = std::make_unique<Handover>(
          *graph_->graph, tbb::flow::unlimited,
          [this](Slot* slot, Handover::gateway_type&) noexcept { engine_.io().push(slot); });
    }
  }
}

TbbExecutor::~TbbExecutor() { shutdown(); }

Executor& TbbExecutor::blocking() { return *gateway_; }

void TbbExecutor::shutdown() {
  if (stop_.exchange(true)) return;
  { std::lock_guard lock(park_mutex_); }
  park_.notify_all();
  {
    std::unique_lock lock(live_mutex_);
    while (!live_changed_.wait_for(lock, kOfferEvery, [this] { return live_ == 0; })) offer_again();
  }
  try {
    engine_.arena().parts().arena->execute([this] { graph_->graph->wait_for_all(); });
  } catch (...) {
    // Bodies catch everything; what TBB itself reports here comes after the last firing.
    run_.warn("the flow graph reported an error at its end");
  }
}

// ---------------------------------------------------------------- pushing and waking

void TbbExecutor::submit(Slot& slot, Worker& worker) {
  slot.worth = slot.unit->worth();
  const bool ours = worker.serves == this;
  Slot* to_queue = &slot;
  if (ours) {
    if (worker.candidate == nullptr) {
      worker.candidate = &slot;
      return;
    }
    if (slot.unit->depth > worker.candidate->unit->depth) std::swap(to_queue, worker.candidate);
  }
  push(*to_queue, !ours);
}

bool TbbExecutor::takes_next(const Unit& unit, const Worker& worker) const {
  if (worker.serves != this) return false;
  if (worker.candidate != nullptr && worker.candidate->unit->depth >= unit.depth) return false;
  return (queue_.mask() >> ReadyQueue::level(unit.depth)) == 0;
}

void TbbExecutor::push(Slot& slot, bool from_outside) {
  Wake wake = Wake::kNone;
  {
    const ReadyQueue::Lock lock(queue_);
    queue_.push(&slot, slot.unit->depth);
    if (from_outside) {
      const int active = active_.load(std::memory_order_relaxed);
      const bool all_long =
          active == long_bodies_.load(std::memory_order_relaxed) && slot.worth > kWakePriceNs;
      if (active == 0 || (active < threads_ && all_long)) wake = wake_locked();
    }
  }
  if (wake == Wake::kLaunch) launch(*slot.unit);
}

TbbExecutor::Wake TbbExecutor::wake_locked() {
  if (parked_.load(std::memory_order_relaxed) > 0) {
    parked_.fetch_sub(1, std::memory_order_relaxed);
    active_.fetch_add(1, std::memory_order_relaxed);
    run_.enter();
    {
      std::lock_guard lock(park_mutex_);
      ++wake_tokens_;
    }
    park_.notify_one();
    return Wake::kParked;
  }
  if (active_.load(std::memory_order_relaxed) < threads_) {
    active_.fetch_add(1, std::memory_order_relaxed);
    run_.enter();
    return Wake::kLaunch;
  }
  return Wake::kNone;
}

void TbbExecutor::launch(Unit& unit) {
  {
    std::lock_guard lock(live_mutex_);
    ++live_;
  }
  launched_.fetch_add(1, std::memory_order_relaxed);
  // The one submission that survives a program without TBB workers.
  Activation* node = graph_->activations[static_cast<size_t>(unit.index())].get();
  if (node == nullptr) {  // a blocking unit's try_now: any CPU node will do
    for (const auto& activation : graph_->activations) {
      if (activation) node = activation.get();
    }
  }
  enqueue([node, alive = std::weak_ptr(graph_)] {
    if (const auto graph = alive.lock()) node->try_put(0);
  });
}

// Where it throws, TBB has the task all the same: a worker that comes later takes it, or, when none
// does, whoever waits for the run (see offer_again()).
template <typename Task>
void TbbExecutor::enqueue(Task task) {
  try {
    engine_.arena().parts().arena->enqueue(std::move(task));
  } catch (const std::exception& error) {
    unstartable_.store(true, std::memory_order_relaxed);
    run_.fail(std::string("a CPU thread could not be started: ") + error.what());
  }
}

void TbbExecutor::offer_again() {
  if (!awaits_worker()) return;
  if (unstartable_.load(std::memory_order_relaxed)) {
    begin_worker();
  } else {
    enqueue([] {});
  }
}

// Each activation is begun once, by whoever comes first.
bool TbbExecutor::claim() {
  uint64_t begun = begun_.load(std::memory_order_relaxed);
  while (begun != launched_.load(std::memory_order_relaxed)) {
    if (begun_.compare_exchange_weak(begun, begun + 1, std::memory_order_relaxed)) return true;
  }
  return false;
}

// Moving work to a second worker pays when what that one would do meanwhile is dearer than the
// move. The wake itself is rented: it is paid for once the lost parallelism adds up to its price.
bool TbbExecutor::worth_waking(uint64_t own, uint64_t behind) {
  const uint64_t lost = std::min(own, behind);
  if (lost == 0) return false;
  owed_ += static_cast<int64_t>(lost);
  if (owed_ < kWakePriceNs) return false;
  owed_ = 0;
  return true;
}

void TbbExecutor::maybe_wake(Slot& slot) {
  if (active_.load(std::memory_order_relaxed) >= threads_) return;
  if (std::min<uint64_t>(slot.worth, queue_.work()) == 0) return;
  Wake wake = Wake::kNone;
  {
    const ReadyQueue::Lock lock(queue_);
    if (queue_.size() > 0 && active_.load(std::memory_order_relaxed) < threads_ &&
        worth_waking(slot.worth, queue_.work())) {
      wake = wake_locked();
    }
  }
  if (wake == Wake::kLaunch) launch(*slot.unit);
}

// ---------------------------------------------------------------- workers

void TbbExecutor::begin_worker() noexcept {
  if (!claim()) return;
  {
    Worker worker(&engine_.items());
    work(worker);
  }
  leave_worker();
}

void TbbExecutor::work(Worker& worker) {
  const OpenMpLimit one_team_member;
  const WorkerScope scope(&worker);
  worker.serves = this;
  worker.run = &run_;
  while (Slot* slot = next(worker)) run(*slot, worker);
}

void TbbExecutor::leave_worker() {
  std::lock_guard lock(live_mutex_);
  if (--live_ == 0) live_changed_.notify_all();
}

void TbbExecutor::run(Slot& slot, Worker& worker) {
  Unit& unit = *slot.unit;
  if (threads_ > 1 && active_.load(std::memory_order_relaxed) > 1) unit.prefetch(slot);
  const bool is_long = threads_ > 1 && unit.mean_body() > kWakePriceNs;
  if (is_long) {
    long_bodies_.fetch_add(1, std::memory_order_relaxed);
    if (queue_.mask() != 0) maybe_wake(slot);
  }
  if (unit.node().where == Where::kCpu) {
    unit.run_firing(slot, worker);
  } else if (!unit.try_firing(slot, worker)) {
    gateway_->submit(slot, worker);
  }
  if (is_long) long_bodies_.fetch_sub(1, std::memory_order_relaxed);
}

Slot* TbbExecutor::next(Worker& worker) {
  if (worker.candidate != nullptr) {
    Slot* slot = std::exchange(worker.candidate, nullptr);
    const uint64_t mask = queue_.mask();
    if ((mask >> ReadyQueue::level(slot->unit->depth)) == 0) {
      if (mask != 0 && threads_ > 1) maybe_wake(*slot);
      return slot;
    }
    push(*slot, false);
  }
  return next_queued();
}

Slot* TbbExecutor::next_queued() {
  bool has_spun = false;
  for (;;) {
    Wake wake = Wake::kNone;
    Slot* slot = nullptr;
    {
      const ReadyQueue::Lock lock(queue_);
      const int short_ones =
          active_.load(std::memory_order_relaxed) - long_bodies_.load(std::memory_order_relaxed);
      // Tiny work is left to the other short worker that is awake.
      const bool leave_it = threads_ > 1 && short_ones > 1 && queue_.work() == 0;
      if (!leave_it) slot = queue_.pop();
      if (slot != nullptr && threads_ > 1 && queue_.size() > 0 &&
          active_.load(std::memory_order_relaxed) < threads_ &&
          worth_waking(slot->worth, queue_.work())) {
        wake = wake_locked();
      }
    }
    if (wake == Wake::kLaunch) launch(*slot->unit);
    if (slot != nullptr) {
      settle_clock();
      return slot;
    }
    if (threads_ > 1 && !has_spun && active_.load(std::memory_order_relaxed) > 1) {
      // Another worker is about to make something ready: cheaper than a park and a wake.
      has_spun = true;
      for (int i = 0; i < kSpins && queue_.mask() == 0; ++i) __builtin_ia32_pause();
      continue;
    }
    if (!park()) return nullptr;
    has_spun = false;
  }
}

// False: the thread goes back to TBB. A woken worker was counted active, and holds a token of the
// run, by whoever woke it.
bool TbbExecutor::park() {
  {
    const ReadyQueue::Lock lock(queue_);
    const int short_ones =
        active_.load(std::memory_order_relaxed) - long_bodies_.load(std::memory_order_relaxed);
    if (queue_.size() > 0 && !(threads_ > 1 && short_ones > 1 && queue_.work() == 0)) return true;
    active_.fetch_sub(1, std::memory_order_relaxed);
    parked_.fetch_add(1, std::memory_order_relaxed);
  }
  run_.leave();
  std::unique_lock lock(park_mutex_);
  park_.wait_for(lock, kParkTime,
                 [this] { return wake_tokens_ > 0 || stop_.load(std::memory_order_relaxed); });
  if (wake_tokens_ > 0) {
    --wake_tokens_;
    return true;
  }
  lock.unlock();
  const ReadyQueue::Lock queue_lock(queue_);
  {
    std::lock_guard again(park_mutex_);
    if (wake_tokens_ > 0) {  // woken at the last moment
      --wake_tokens_;
      return true;
    }
  }
  parked_.fetch_sub(1, std::memory_order_relaxed);
  return false;
}

}  // namespace penstock
