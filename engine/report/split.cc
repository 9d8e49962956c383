#include "report/split.h"

#include <algorithm>
#include <cmath>

namespace penstock {
namespace {

constexpr size_t kBatchesPerHalf = 10;
constexpr double kSteadyTolerance = 0.05;

/// Largest value of a bucket, by the histogram's own layout: 2^kSubBits buckets of width 1, then as
/// many for each power of two.
int64_t bucket_end(int bucket) {
  constexpr int kSub = 1 << Histogram::kSubBits;
  if (bucket < kSub) return bucket;
  const int shift = bucket / kSub - 1;
  return static_cast<int64_t>((static_cast<uint64_t>(bucket % kSub + kSub + 1) << shift) - 1);
}

int64_t highest_used(const Histogram& window) {
  for (int bucket = Histogram::kBuckets - 1; bucket >= 0; --bucket) {
    if (window.buckets()[static_cast<size_t>(bucket)] > 0) return bucket_end(bucket);
  }
  return 0;
}

double rate(int64_t begin_ns, std::span<const Delivery> part) {
  uint64_t examples = 0;
  for (const Delivery& delivery : part) examples += delivery.examples;
  const int64_t ns = part.back().done_ns - begin_ns;
  return ns <= 0 ? 0 : static_cast<double>(examples) / static_cast<double>(ns);
}

}  // namespace

Spread spread_ms(const Histogram& begin, const Histogram& end) {
  const Histogram window = end.since(begin);
  if (window.count() == 0) return {};
  int64_t max_ns = end.max();
  if (begin.count() > 0 && end.max() <= begin.max()) {
    max_ns = std::min(end.max(), highest_used(window));
  }
  const double max = static_cast<double>(max_ns) / 1e6;
  return {window.count(), window.mean() / 1e6, std::min(max, window.quantile(0.5) / 1e6),
          std::min(max, window.quantile(0.95) / 1e6), max};
}

bool is_steady(int64_t begin_ns, std::span<const Delivery> window) {
  const size_t half = window.size() / 2;
  if (half < kBatchesPerHalf) return false;
  const double first = rate(begin_ns, window.first(half));
  const double second = rate(window[half - 1].done_ns, window.subspan(half));
  return std::abs(first - second) <= kSteadyTolerance * std::max(first, second);
}

std::vector<Delivery> deliveries_after(int64_t begin_ns, const std::vector<BatchRecord>& batches) {
  std::vector<Delivery> deliveries;
  for (const BatchRecord& batch : batches) {
    if (batch.at_ns > begin_ns) deliveries.push_back({batch.at_ns, batch.examples});
  }
  return deliveries;
}

uint64_t default_warmup(uint64_t batches) { return std::min<uint64_t>(8, batches / 4); }

}  // namespace penstock
