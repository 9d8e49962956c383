#include "measure/run_log.h"

#include <utility>

namespace penstock {
namespace {

void merge_into(BatchRecord* sum, const BatchRecord& next) {
  sum->at_ns = next.at_ns;
  sum->batches += next.batches;
  sum->examples += next.examples;
  sum->wait_ns += next.wait_ns;
  sum->work_ns += next.work_ns;
}

}  // namespace

void BatchLog::add(const BatchRecord& batch) {
  merge_into(&open_, batch);
  if (open_.batches < each_) return;
  records_.push_back(std::exchange(open_, {}));
  if (records_.size() < kMost) return;
  for (size_t i = 0; i < kMost / 2; ++i) {
    BatchRecord merged = records_[2 * i];
    merge_into(&merged, records_[2 * i + 1]);
    records_[i] = merged;
  }
  records_.resize(kMost / 2);
  each_ *= 2;
}

bool MarkLog::due(uint64_t batches, int64_t now_ns) const {
  return batches >= next_batches_ && now_ns >= next_ns_;
}

void MarkLog::add(Snapshot snapshot) {
  if (marks_.size() == kMost) {
    for (size_t i = 0; 2 * i < kMost; ++i) {
      if (i > 0) marks_[i] = std::move(marks_[2 * i]);
    }
    marks_.resize(kMost / 2);
    stride_ *= 2;
  }
  next_batches_ = snapshot.consumer.batches + stride_;
  next_ns_ = snapshot.now + kLeastNs;
  marks_.push_back(std::move(snapshot));
}

}  // namespace penstock
