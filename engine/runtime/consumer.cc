#include "runtime/consumer.h"

#include <algorithm>
#include <utility>

#include "runtime/clock.h"

namespace penstock {
namespace {

constexpr int64_t kSamplesPerThousand = 5;  // time for thread clocks at most, of the consumer's

}  // namespace

void ConsumerClock::enter(int64_t now) {
  std::lock_guard lock(mutex_);
  if (first_enter_ < 0) {
    first_enter_ = since_ = now;
  }
  now = std::max(now, since_);
  close_step(now);
  figures_.work_ns += now - since_;
  open_work_ += now - since_;
  since_ = now;
  inside_ = true;
}

void ConsumerClock::end_step(int64_t now) {
  std::lock_guard lock(mutex_);
  close_step(std::max(now, since_));
}

void ConsumerClock::close_step(int64_t now) {
  end_sample(now);
  if (!std::exchange(in_step_, false)) return;
  figures_.work.add(now - since_);
  step_end_ = now;
}

int64_t ConsumerClock::step_end(int64_t now) const {
  std::lock_guard lock(mutex_);
  return in_step_ ? now : step_end_;
}

void ConsumerClock::leave(int64_t now, bool batch, uint64_t samples) {
  std::lock_guard lock(mutex_);
  now = std::max(now, since_);
  figures_.wait_ns += now - since_;
  open_wait_ += now - since_;
  since_ = now;
  inside_ = false;
  if (!batch) return;
  in_step_ = true;
  log_.add({now - start_, 1, samples, open_wait_, open_work_});
  open_work_ = 0;
  figures_.wait.add(std::exchange(open_wait_, 0));
  ++figures_.batches;
  figures_.examples += samples;
  if (kClocks && figures_.batches >= next_sample_) begin_sample(now);
  if (figures_.first_batch_ns < 0) figures_.first_batch_ns = now - start_;
}

void ConsumerClock::begin_sample(int64_t now) {
  sample_thread_ = std::this_thread::get_id();
  sample_begin_ = now;
  sample_queued_ = thread_run_queue_ns();
  sample_cpu_ = thread_cpu_ns();
}

// The work has ended. A step on another thread than it began on tells nothing.
void ConsumerClock::end_sample(int64_t now) {
  const int64_t begin = std::exchange(sample_begin_, -1);
  if (begin < 0 || sample_thread_ != std::this_thread::get_id()) return;
  // First the run queue: the thread may be suspended as it returns from either reading.
  const int64_t queued = thread_run_queue_ns() - sample_queued_;
  SampledClocks& clocks = figures_.work_clocks;
  ++clocks.firings;
  clocks.wall_ns += now - begin;
  clocks.cpu_ns += thread_cpu_ns() - sample_cpu_;
  clocks.run_queue_ns += std::max<int64_t>(0, queued);
  clocks.has_run_queue = sample_queued_ >= 0;
  const int64_t each = (now - start_) / static_cast<int64_t>(figures_.batches);
  const int64_t allowed = std::max<int64_t>(1, each * kSamplesPerThousand);
  next_sample_ = figures_.batches + 1 + static_cast<uint64_t>(sample_cost_ * 1000 / allowed);
}

uint64_t ConsumerClock::delivered() const {
  std::lock_guard lock(mutex_);
  return figures_.batches;
}

std::vector<BatchRecord> ConsumerClock::batches() const {
  std::lock_guard lock(mutex_);
  return log_.records();
}

ConsumerSnapshot ConsumerClock::snapshot(int64_t now) const {
  std::lock_guard lock(mutex_);
  ConsumerSnapshot s = figures_;
  if (first_enter_ < 0) return s;
  now = std::max(now, since_);
  (inside_ ? s.wait_ns : s.work_ns) += now - since_;
  s.wall_ns = now - first_enter_;
  return s;
}

}  // namespace penstock
