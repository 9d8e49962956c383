// The consumer's side of a run: next() and what it waits for.

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/thrown.h"
#include "runtime/inline_executor.h"
#include "runtime/openmp_limit.h"
#include "runtime/run_core.h"
#include "runtime/tbb_executor.h"

namespace penstock {
namespace {

constexpr int64_t kWatchEvery = 1'000'000'000;  // how often a waiting next() looks for stuck bodies
constexpr int64_t kOfferEvery = 20'000'000;     // and, while one is awaited, for a worker

enum Status { kRunning = 0, kComplete = 1, kStopped = 2, kFailed = 3 };

constexpr std::chrono::hours kForever{24 * 365 * 100};  // a longer time limit is none

int64_t wall_ns() {  // for time limits, also in the build without clocks
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Next next_of(Next::Kind kind, uint32_t epoch = 0) {
  Next next;
  next.kind = kind;
  next.epoch = epoch;
  return next;
}

/// Refuses a second thread where there is room for one.
class OneAtATime {
 public:
  explicit OneAtATime(std::atomic<bool>& taken) : taken_(taken) {
    if (taken.exchange(true, std::memory_order_acquire)) {
      throw std::logic_error("next() of a run was called while another thread was in it");
    }
  }
  ~OneAtATime() { taken_.store(false, std::memory_order_release); }
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;

 private:
  std::atomic<bool>& taken_;
};

/// For as long as it lives.
class Raised {
 public:
  explicit Raised(std::atomic<bool>& flag) : flag_(flag) { flag_.store(true); }
  ~Raised() { flag_.store(false); }
  Raised(const Raised&) = delete;
  Raised& operator=(const Raised&) = delete;

 private:
  std::atomic<bool>& flag_;
};

}  // namespace

Next RunCore::next(std::optional<std::chrono::nanoseconds> timeout, const DeviceStream* stream) {
  const OneAtATime one_at_a_time(in_next_);
  stream_ = stream;
  remember_snapshot();
  remember_mark();
  choose_recording();
  std::optional<int64_t> deadline;
  if (timeout && *timeout < kForever) deadline = wall_ns() + std::max<int64_t>(0, timeout->count());
  consumer_worker_.now = now_ns();
  consumer_.enter(consumer_worker_.now);
  if (asked_ < 0) asked_ = consumer_worker_.now - start_;
  enter();
  Next next;
  try {
    const WorkerScope scope(&consumer_worker_);
    std::optional<OpenMpLimit> one_team_member;  // bodies run here
    if (inline_) one_team_member.emplace(openmp_);
    next = wait_for_next(deadline);
    consumer_worker_.drain();
  } catch (...) {
    waiting_.store(0);
    leave();
    consumer_.leave(now_ns(), false, 0);
    throw;
  }
  waiting_.store(0);
  leave();
  const bool batch = next.kind == Next::Kind::kBatch;
  const int64_t now = now_ns();
  consumer_.leave(now, batch, batch ? next.batch.size() : 0);
  if (batch) {
    const int64_t asked = std::exchange(asked_, -1);
    if (recording()) {
      std::lock_guard lock(history_mutex_);
      recorded_.deliveries.push_back({batch_firing_, asked, now - start_, next.batch.size()});
    }
  }
  return next;
}

Next RunCore::wait_for_next(std::optional<int64_t> deadline) {
  for (;;) {
    if (std::optional<Next> next = step()) return std::move(*next);
    if (inline_ && run_inline()) {
      if (deadline && wall_ns() >= *deadline) {
        if (std::optional<Next> next = step()) return std::move(*next);
        return next_of(Next::Kind::kNotReady);
      }
      continue;
    }
    {
      std::lock_guard lock(mutex_);
      woken_ = false;
    }
    // From here on whoever makes something for us sees that we wait; what came before is seen now.
    waiting_.exchange(1, std::memory_order_seq_cst);
    if (std::optional<Next> next = step()) return std::move(*next);
    if (!sleep(deadline)) {
      if (activity_.load(std::memory_order_acquire) == 1) {
        if (std::optional<Next> next = step()) return std::move(*next);
        require_free_buffer();
      }
      return next_of(Next::Kind::kNotReady);
    }
  }
}

// False: the deadline has passed.
bool RunCore::sleep(std::optional<int64_t> deadline) {
  consumer_worker_.drain();
  leave();
  bool in_time = true;
  {
    std::unique_lock lock(mutex_);
    while (!woken_ && failure_.empty() && in_time) {
      const int64_t now = wall_ns();
      const int64_t every = tbb_ && tbb_->awaits_worker() ? kOfferEvery : kWatchEvery;
      const int64_t until = std::min(now + every, deadline.value_or(INT64_MAX));
      if (wake_.wait_for(lock, std::chrono::nanoseconds(std::max<int64_t>(0, until - now))) ==
              std::cv_status::timeout &&
          !woken_) {
        in_time = !deadline || wall_ns() < *deadline;
        lock.unlock();
        if (tbb_) tbb_->offer_again();
        warn_about_long_bodies();
        lock.lock();
      }
    }
    enter();
    if (!failure_.empty()) {
      auto info = std::make_shared<ErrorInfo>();
      info->message = std::exchange(failure_, {});
      lock.unlock();
      raise(info);
    }
    if (std::exchange(out_of_buffers_, false)) {
      lock.unlock();
      require_free_buffer();  // it may have let go of one meanwhile
    }
  }
  waiting_.store(0);
  consumer_worker_.now = now_ns();
  return in_time;
}

// Runs one ready firing on this thread. False: nothing is ready and the sources are held.
bool RunCore::run_inline() {
  // A report() on another thread may be about to make ready what our own kick left to it.
  const bool alone = activity_.load(std::memory_order_acquire) == 1;
  if (Slot* slot = inline_->take(); slot != nullptr) {
    slot->unit->run_firing(*slot, consumer_worker_);
    return true;
  }
  if (!alone) {
    std::this_thread::yield();
    return true;
  }
  if (held_.load()) return false;
  SourceUnit* admitted = nullptr;
  for (SourceUnit* source : sources_) {
    if (!source->gated() || source->stopped()) continue;
    if (admitted == nullptr || source->progress() < admitted->progress()) admitted = source;
  }
  if (admitted == nullptr) {
    require_free_buffer();
    auto info = std::make_shared<ErrorInfo>();
    info->message = failure_.empty() ? describe_stall() : failure_;
    raise(info);
  }
  admitted->admit();
  admissions_.fetch_add(1, std::memory_order_relaxed);
  consumer_worker_.kick(admitted);
  return true;
}

// One look at the sink edge and the sinks; nothing: there is nothing to return yet.
std::optional<Next> RunCore::step() {
  if (finished_.load(std::memory_order_acquire)) return finish_run();
  if (epoch_ended_) return finish_epoch();
  return take_entry();
}

std::optional<Next> RunCore::take_entry() {
  for (;;) {
    Entry entry;
    {
      std::lock_guard lock(edge_mutex_);
      if (!sink_edge_->has_entry()) return std::nullopt;
      consumer_worker_.now = now_ns();
      entry = sink_edge_->front();
      sink_edge_->pop(consumer_worker_.now);
    }
    consumer_worker_.kick(sink_edge_->producer);
    if (sink_edge_->is_done(entry.epoch) || entry.kind == EntryKind::kTombstone) {
      if (entry.item != nullptr) consumer_worker_.items.give(entry.item);
      continue;
    }
    switch (entry.kind) {
      case EntryKind::kItem:
        batch_firing_ = entry.firing;
        return deliver(entry.item);
      case EntryKind::kError: {
        std::shared_ptr<const ErrorInfo> error = entry.item->error;
        consumer_worker_.items.give(entry.item);
        raise(error);
      }
      case EntryKind::kEpochEnd:
        if (epoch_batches_ == 0 && end_epoch_ == kDoneForever) {
          auto info = std::make_shared<ErrorInfo>();
          info->message = "epoch " + std::to_string(entry.epoch) +
                          " gave no batch, so the number of batches asked for cannot be reached";
          raise(info);
        }
        enter_epoch(entry.epoch + 1);
        epoch_ended_ = true;
        return finish_epoch();
      case EntryKind::kTombstone:
        break;
    }
  }
}

Next RunCore::deliver(Item* item) {
  for (Field& field : item->fields) {
    if (auto* tensor = std::get_if<Tensor>(&field); tensor != nullptr && tensor->owner()) {
      tensor->owner().get()->uncount();
    }
  }
  if (item->reservation != nullptr) {
    static_cast<Reservations*>(std::exchange(item->reservation, nullptr))->give_back();
  }
  try {
    hand_over(*item);
  } catch (...) {
    consumer_worker_.items.give(item);
    throw;
  }
  Next next = next_of(Next::Kind::kBatch, item->origin.epoch);
  next.batch = Batch(names_, std::move(*item));
  consumer_worker_.items.give(item);
  if (++epoch_batches_ == 1) epochs_begun_.fetch_add(1, std::memory_order_relaxed);
  if (batch_limit_ != 0 && ++batches_ == batch_limit_) stop_consumer();
  return next;
}

// Whoever has the memory of a device lets the consumer's stream wait for what lies there.
void RunCore::hand_over(const Item& item) {
  for (const Field& field : item.fields) {
    const auto* tensor = std::get_if<Tensor>(&field);
    Buffer* buffer = tensor == nullptr ? nullptr : tensor->owner().get();
    if (buffer == nullptr || buffer->memory == nullptr) continue;
    if (std::find(device_memories_.begin(), device_memories_.end(), buffer->memory) ==
        device_memories_.end()) {
      device_memories_.push_back(buffer->memory);
    }
    try {
      const Raised awaits(awaits_device_);
      buffer->memory->hand_over(*buffer, stream_);
    } catch (...) {
      std::shared_ptr<ErrorInfo> info = device_error();
      info->key = key(item.origin);
      info->origin = item.origin;
      raise(info);
    }
  }
}

// Of what is being handled.
std::shared_ptr<ErrorInfo> RunCore::device_error() const {
  auto info = std::make_shared<ErrorInfo>();
  for (const auto& unit : units_) {
    if (unit->node().where != Where::kDevice) continue;
    info->node = unit->node().id;
    info->where = unit->node().at.text();
  }
  info->message = thrown_text();
  info->of_machine = true;
  return info;
}

// A copy that failed says so when a later one is made; of the last ones nobody would say it.
void RunCore::check_devices() {
  if (status_.load() != kRunning) return;
  for (DeviceMemory* memory : device_memories_) {
    try {
      const Raised awaits(awaits_device_);
      memory->check();
    } catch (...) {
      raise(device_error());
    }
  }
}

const DeviceMemory* RunCore::all_held_memory() const {
  for (const DeviceMemory* memory : device_memories_) {
    if (memory->all_held()) return memory;
  }
  return nullptr;
}

// Nothing can come while the consumer itself holds all there is to put it into. Called where
// nothing runs: an end of an epoch needs no buffer, and comes first.
void RunCore::require_free_buffer() const {
  const DeviceMemory* const full = all_held_memory();
  if (full == nullptr || finished_.load()) return;
  const size_t slots = full->buffers();
  throw std::logic_error(
      slots == 1
          ? "the consumer holds the batch in the only slot on the device: let go of it "
            "before next(), or give device_copy more slots"
          : "the consumer holds batches in all " + std::to_string(slots) +
                " slots on the device: let go of one before next(), or give device_copy more "
                "slots");
}

// An epoch is complete when its end has reached the consumer and every sink.
std::optional<Next> RunCore::finish_epoch() {
  if (!sinks_reached(consumer_epoch_)) return std::nullopt;
  epoch_ended_ = false;
  epoch_batches_ = 0;
  throw_sink_error(static_cast<int64_t>(consumer_epoch_) - 1);
  if (static_cast<int64_t>(consumer_epoch_) >= end_epoch_) finished_.store(true);
  return next_of(Next::Kind::kEpochEnd, consumer_epoch_ - 1);
}

std::optional<Next> RunCore::finish_run() {
  {
    std::lock_guard lock(edge_mutex_);
    while (sink_edge_->has_entry()) {
      Item* item = sink_edge_->front().item;
      if (item != nullptr) consumer_worker_.items.give(item);
      sink_edge_->pop(now_ns());
    }
  }
  consumer_worker_.kick(sink_edge_->producer);
  if (!sinks_finished() || !is_quiet()) return std::nullopt;
  throw_sink_error(kDoneForever - 1);
  check_devices();
  int running = kRunning;
  status_.compare_exchange_strong(running, kComplete);
  return next_of(Next::Kind::kEnd);
}

bool RunCore::sinks_finished() const {
  return std::all_of(sinks_.begin(), sinks_.end(), [this](const Unit* sink) {
    return sink->stopped() || static_cast<int64_t>(sink->epochs_done()) >= end_epoch_;
  });
}

// Nothing runs any more but this thread, so that the end's figures are final.
bool RunCore::is_quiet() {
  if (inline_) {
    while (Slot* slot = inline_->take()) slot->unit->run_firing(*slot, consumer_worker_);
    return true;
  }
  return activity_.load(std::memory_order_acquire) == 1;
}

bool RunCore::sinks_reached(uint32_t epochs) const {
  return std::all_of(sinks_.begin(), sinks_.end(), [epochs](const Unit* sink) {
    return sink->stopped() || sink->epochs_done() >= epochs;
  });
}

// The first one in plan order of the earliest epoch.
void RunCore::throw_sink_error(int64_t up_to_epoch) {
  std::shared_ptr<const ErrorInfo> error;
  {
    std::lock_guard lock(mutex_);
    if (status_.load() == kFailed) return;
    uint32_t epoch = 0;
    for (auto& [at, kept] : sink_errors_) {
      if (!kept || static_cast<int64_t>(at) > up_to_epoch) continue;
      if (!error || at < epoch) {
        error = kept;
        epoch = at;
      }
    }
  }
  if (error) raise(error);
}

void RunCore::raise(const std::shared_ptr<const ErrorInfo>& error) {
  status_.store(kFailed);
  cancel();
  throw RunError(*error);
}

void RunCore::stop_consumer() {
  finished_.store(true, std::memory_order_release);
  if (end_epoch_ == kDoneForever) {
    cancel();
  } else if (sink_edge_->set_done(kDoneForever)) {
    consumer_worker_.kick(sink_edge_->producer);
  }
}

void RunCore::cancel() {
  if (cancelled_.exchange(true)) return;
  finished_.store(true, std::memory_order_release);
  sink_edge_->set_done(kDoneForever);
  kick_from_outside(sink_edge_->producer);
  for (Unit* sink : sinks_) kick_from_outside(sink);
}

void RunCore::stop() {
  int running = kRunning;
  status_.compare_exchange_strong(running, kStopped);
  cancel();
  wake_consumer();
  // A body of a serial run that calls this is in next(), and is not waited for.
  if (inline_ && Worker::current() == &consumer_worker_) return;
  wait_idle();
}

void RunCore::set_epoch(uint32_t epoch) {
  if (epoch < consumer_epoch_) {
    throw std::invalid_argument("set_epoch(" + std::to_string(epoch) + ") goes back: epoch " +
                                std::to_string(consumer_epoch_) + " has begun");
  }
  if (!sinks_.empty()) {
    throw std::invalid_argument("set_epoch() in a graph with sinks would leave them out of step");
  }
  if (epoch == consumer_epoch_ || finished_.load()) return;
  enter_epoch(epoch);
  epoch_ended_ = false;
  epoch_batches_ = 0;
  if (static_cast<int64_t>(epoch) >= end_epoch_) {
    finished_.store(true);
    epoch = static_cast<uint32_t>(end_epoch_);
  }
  if (sink_edge_->set_done(static_cast<int64_t>(epoch) - 1)) {
    kick_from_outside(sink_edge_->producer);
  }
}

void RunCore::wake_consumer() {
  // A read-modify-write: our push is visible before we look whether anybody waits.
  if (waiting_.fetch_add(0, std::memory_order_seq_cst) == 0) return;
  std::lock_guard lock(mutex_);
  woken_ = true;
  wake_.notify_all();
}

void RunCore::warn_about_long_bodies() {
  if (inline_) return;
  const int64_t now = now_ns();
  std::vector<std::string> warnings;  // given without the lock
  std::unique_lock lock(warned_mutex_);
  for (const auto& unit : units_) {
    for (int i = 0; i < unit->slot_count(); ++i) {
      const Slot& slot = unit->slot(i);
      if (slot.state.load(std::memory_order_acquire) != Slot::kTaken) continue;
      const int64_t begin = slot.t_start.load(std::memory_order_relaxed);
      const double seconds = static_cast<double>(now - begin) * 1e-9;
      if (begin == 0 || seconds < options_.stuck_warning_seconds) continue;
      const auto known = std::make_pair(
          static_cast<uint64_t>(unit->index()) << 16 | static_cast<uint64_t>(i), begin);
      if (std::find(warned_.begin(), warned_.end(), known) != warned_.end()) continue;
      warned_.push_back(known);
      warnings.push_back("node '" + unit->node().id + "' has been busy for " +
                         std::to_string(static_cast<int64_t>(seconds)) +
                         " s with the item at position " +
                         std::to_string(slot.position.load(std::memory_order_relaxed)));
    }
  }
  lock.unlock();
  for (const std::string& warning : warnings) warn(warning);
}

}  // namespace penstock
