#pragma once
/// What a run keeps of its own course, in bounded memory: states of its clocks from time to time,
/// and a record of its batches. Plain containers without locks.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "measure/firing.h"
#include "measure/snapshot.h"

namespace penstock {

/// Of a full list every second element of the older half goes; the first stays.
template <typename T>
void thin_older_half(std::vector<T>* list) {
  const size_t half = list->size() / 2;
  size_t kept = 0;
  for (size_t i = 0; i < list->size(); ++i) {
    if (i < half && i % 2 == 1) continue;
    if (kept != i) (*list)[kept] = std::move((*list)[i]);
    ++kept;
  }
  list->erase(list->begin() + static_cast<std::ptrdiff_t>(kept), list->end());
}

/// One batch, or several in a row once the log had to be thinned.
struct BatchRecord {
  int64_t at_ns = 0;  ///< when the last of them arrived, since the run's start
  uint64_t batches = 0, examples = 0;
  int64_t wait_ns = 0;  ///< inside next() for them
  int64_t work_ns = 0;  ///< of the consumer between the arrival before and these calls
};

/// Records of a run's batches. When it is full, neighbours are merged two by two, and from then on
/// a record covers twice as many batches: sums stay exact.
class BatchLog {
 public:
  static constexpr size_t kMost = 4096;
  void add(const BatchRecord& batch);
  /// Complete records only: the batches since the last one are not in it.
  const std::vector<BatchRecord>& records() const { return records_; }

 private:
  std::vector<BatchRecord> records_;
  BatchRecord open_;
  uint64_t each_ = 1;  ///< batches of a record
};

/// States of a run, at first after each batch (but not closer than kLeastNs); when it is full,
/// every second one is dropped and the distance doubles.
class MarkLog {
 public:
  static constexpr size_t kMost = 32;
  static constexpr int64_t kLeastNs = 10'000'000;
  /// Whether a state is wanted once so many batches have been delivered.
  bool due(uint64_t batches, int64_t now_ns) const;
  void add(Snapshot snapshot);
  const std::vector<Snapshot>& marks() const { return marks_; }

 private:
  std::vector<Snapshot> marks_;
  uint64_t stride_ = 1;
  uint64_t next_batches_ = 0;
  int64_t next_ns_ = 0;
};

/// All of it, as values.
struct RunLog {
  std::vector<Snapshot> marks;  ///< oldest first
  std::vector<BatchRecord> batches;
  FiringLog firings;  ///< of some of the batches
};

}  // namespace penstock
