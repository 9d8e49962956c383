#pragma once
/// The training loop's clocks: it is a node of the graph with one slot, waiting inside next() and
/// working outside.

#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "measure/run_log.h"
#include "measure/snapshot.h"
#include "measure/thread_clock.h"

namespace penstock {

/// Thread-safe.
class ConsumerClock {
 public:
  /// `sample_cost`: what reading the thread clocks around one batch's work costs.
  void begin(int64_t start, int64_t sample_cost) {
    start_ = start;
    sample_cost_ = sample_cost;
  }
  /// next() was entered. The time since it last returned was work.
  void enter(int64_t now);
  /// The work after a batch is done, before next() is entered: what comes until then is work of no
  /// batch. enter() says it where nobody else did.
  void end_step(int64_t now);
  /// next() returns; `batch` with that many samples, or without one.
  void leave(int64_t now, bool batch, uint64_t samples);
  /// When the work after the last batch ended; `now` where it goes on or nobody has said.
  int64_t step_end(int64_t now) const;
  ConsumerSnapshot snapshot(int64_t now) const;
  uint64_t delivered() const;
  std::vector<BatchRecord> batches() const;

 private:
  void close_step(int64_t now);
  void begin_sample(int64_t now);
  void end_sample(int64_t now);

  mutable std::mutex mutex_;
  ConsumerSnapshot figures_;
  int64_t start_ = 0;
  int64_t first_enter_ = -1;
  int64_t since_ = 0;  ///< when the current state began
  bool inside_ = false;
  bool in_step_ = false;   ///< a batch has come, and its work goes on
  int64_t step_end_ = 0;   ///< of the last one whose work is over
  int64_t open_wait_ = 0;  ///< waiting since the last batch
  int64_t open_work_ = 0;
  BatchLog log_;
  int64_t sample_cost_ = 0;
  uint64_t next_sample_ = 0;  ///< number of the batch whose work is sampled next
  int64_t sample_begin_ = -1;
  int64_t sample_queued_ = 0, sample_cpu_ = 0;
  std::thread::id sample_thread_;
};

}  // namespace penstock
