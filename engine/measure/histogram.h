#pragma once
/// Counts of durations in buckets of at most 3.2 % width: mergeable and subtractable, so that any
/// window is the difference of two snapshots.

#include <array>
#include <cstdint>

namespace penstock {

class Histogram {
 public:
  static constexpr int kSubBits = 5;
  static constexpr int kBuckets = (64 - kSubBits + 1) << kSubBits;

  /// Adds one duration in nanoseconds; negative counts as 0.
  void add(int64_t ns);
  void merge(const Histogram& other);
  /// This minus an older state of the same histogram. `max` stays that of the whole.
  Histogram since(const Histogram& older) const;
  uint64_t count() const { return count_; }
  int64_t sum() const { return sum_; }
  int64_t max() const { return max_; }
  double mean() const { return count_ == 0 ? 0.0 : static_cast<double>(sum_) / double(count_); }
  /// Value below which a fraction q of the counts lies (middle of its bucket, at most max()).
  double quantile(double q) const;
  const std::array<uint64_t, kBuckets>& buckets() const { return buckets_; }

 private:
  uint64_t count_ = 0;
  int64_t sum_ = 0;
  int64_t max_ = 0;
  std::array<uint64_t, kBuckets> buckets_{};
};

}  // namespace penstock
