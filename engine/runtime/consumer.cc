#include "runtime/consumer.h"

#include <algorithm>
#include <utility>

namespace penstock {

void ConsumerClock::enter(int64_t now) {
  std::lock_guard lock(mutex_);
  if (first_enter_ < 0) {
    first_enter_ = since_ = now;
  }
  now = std::max(now, since_);
  figures_.work_ns += now - since_;
  open_work_ += now - since_;
  since_ = now;
  inside_ = true;
}

void ConsumerClock::leave(int64_t now, bool batch, uint64_t samples) {
  std::lock_guard lock(mutex_);
  now = std::max(now, since_);
  figures_.wait_ns += now - since_;
  open_wait_ += now - since_;
  since_ = now;
  inside_ = false;
  if (!batch) return;
  // The work that has just ended belongs to the batch before this one.
  if (figures_.batches > 0) figures_.work.add(open_work_);
  open_work_ = 0;
  figures_.wait.add(std::exchange(open_wait_, 0));
  ++figures_.batches;
  figures_.examples += samples;
  if (figures_.first_batch_ns < 0) figures_.first_batch_ns = now - start_;
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
