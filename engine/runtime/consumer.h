#pragma once
/// The training loop's clocks: it is a node of the graph with one slot, waiting inside next() and
/// working outside.

#include <cstdint>
#include <mutex>

#include "measure/snapshot.h"

namespace penstock {

/// Thread-safe.
class ConsumerClock {
 public:
  void begin(int64_t start) { start_ = start; }
  /// next() was entered. The time since it last returned was work.
  void enter(int64_t now);
  /// next() returns; `batch` with that many samples, or without one.
  void leave(int64_t now, bool batch, uint64_t samples);
  ConsumerSnapshot snapshot(int64_t now) const;

 private:
  mutable std::mutex mutex_;
  ConsumerSnapshot figures_;
  int64_t start_ = 0;
  int64_t first_enter_ = -1;
  int64_t since_ = 0;  ///< when the current state began
  bool inside_ = false;
  int64_t open_wait_ = 0;  ///< waiting since the last batch
  int64_t open_work_ = 0;
};

}  // namespace penstock
