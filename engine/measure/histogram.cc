#include "measure/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace penstock {
namespace {

constexpr uint64_t kSub = uint64_t{1} << Histogram::kSubBits;

// Values below 2 kSub have a bucket each; above, every power of two is split into kSub buckets.
// Without a branch: bodies of about 32 ns would mispredict it every other time.
size_t bucket_of(uint64_t value) {
  const int shift = std::bit_width(value | kSub) - 1 - Histogram::kSubBits;
  return static_cast<size_t>((static_cast<uint64_t>(shift) << Histogram::kSubBits) +
                             (value >> shift));
}

double middle_of(size_t bucket) {
  if (bucket < kSub) return static_cast<double>(bucket);
  const int shift = static_cast<int>(bucket >> Histogram::kSubBits) - 1;
  const double low = std::ldexp(static_cast<double>(kSub + (bucket & (kSub - 1))), shift);
  return low + (std::ldexp(1.0, shift) - 1.0) / 2.0;
}

}  // namespace

void Histogram::add(int64_t ns) {
  ns = std::max<int64_t>(ns, 0);
  ++buckets_[bucket_of(static_cast<uint64_t>(ns))];
  ++count_;
  if (__builtin_add_overflow(sum_, ns, &sum_)) sum_ = INT64_MAX;  // 292 years
  max_ = std::max(max_, ns);
}

void Histogram::merge(const Histogram& other) {
  for (size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
}

Histogram Histogram::since(const Histogram& older) const {
  Histogram result = *this;
  for (size_t i = 0; i < buckets_.size(); ++i) result.buckets_[i] -= older.buckets_[i];
  result.count_ -= older.count_;
  result.sum_ -= older.sum_;
  return result;
}

double Histogram::quantile(double q) const {
  if (count_ == 0) return 0.0;
  const double rank = std::clamp(q, 0.0, 1.0) * static_cast<double>(count_);
  uint64_t seen = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (buckets_[i] > 0 && static_cast<double>(seen) >= rank) {
      return std::min(middle_of(i), static_cast<double>(max_));
    }
  }
  return static_cast<double>(max_);
}

}  // namespace penstock
