#include "runtime/edge.h"

#include <bit>

namespace penstock {
namespace {

void raise(std::atomic<uint64_t>& high, uint64_t value) {
  if (value > high.load(std::memory_order_relaxed)) high.store(value, std::memory_order_relaxed);
}

}  // namespace

Edge::Edge(uint64_t capacity, uint64_t capacity_bytes)
    : capacity_(capacity),
      capacity_bytes_(capacity_bytes),
      mask_(std::bit_ceil(capacity) - 1),
      ring_(std::make_unique<Entry[]>(mask_ + 1)) {}

void Edge::push(Item* item, EntryKind kind, uint32_t epoch, uint64_t bytes, uint64_t firing,
                int64_t now) {
  const uint64_t tail = tail_.load(std::memory_order_relaxed);
  const uint64_t head = head_.load(std::memory_order_acquire);
  if constexpr (kClocks) {
    // The edge was full from the previous push until the entry `capacity` places back was taken.
    if (tail >= capacity_) {
      const int64_t freed = ring_[(tail - capacity_) & mask_].popped;
      full_sum_ += std::max<int64_t>(0, freed - last_push_);
      now = std::max(now, freed);  // the room that we use appeared then
    }
    now = std::max(now, last_push_);
    last_push_ = now;
    push_sum_ += now - start_;
  }
  Entry& entry = ring_[tail & mask_];
  entry.item = item;
  entry.stamp = now;
  entry.push_sum = push_sum_;
  entry.full_sum = full_sum_;
  entry.firing = firing;
  entry.bytes = bytes;
  entry.epoch = epoch;
  entry.kind = kind;
  bytes_in_.store(bytes_in_.load(std::memory_order_relaxed) + bytes, std::memory_order_relaxed);
  raise(fill_max_, tail + 1 - head);
  raise(bytes_max_, content_bytes());
  tail_.store(tail + 1, std::memory_order_release);
}

void Edge::pop(int64_t now) {
  const uint64_t head = head_.load(std::memory_order_relaxed);
  Entry& entry = ring_[head & mask_];
  if constexpr (kClocks) {
    const int64_t before = last_pop_.load(std::memory_order_relaxed);
    now = std::max({now, entry.stamp, before});
    entry.popped = now;
    residence_ns_ += now - entry.stamp;
    // Before this entry came, the edge had been empty since the pop before.
    empty_ns_ += std::max<int64_t>(0, entry.stamp - before);
    last_pop_.store(now, std::memory_order_relaxed);
    pop_sum_ += now - start_;
    push_sum_popped_ = entry.push_sum;
    full_sum_popped_ = entry.full_sum;
    stamp_popped_ = entry.stamp;
  }
  bytes_out_.store(bytes_out_.load(std::memory_order_relaxed) + entry.bytes,
                   std::memory_order_release);
  head_.store(head + 1, std::memory_order_release);
}

EdgeSnapshot Edge::snapshot(int64_t now) {
  EdgeSnapshot s;
  const uint64_t head = head_.load(std::memory_order_relaxed);
  const uint64_t tail = tail_.load(std::memory_order_acquire);
  const int64_t before = last_pop_.load(std::memory_order_relaxed);
  now = std::max(now, before);
  for (uint64_t i = head; i != tail; ++i) now = std::max(now, ring_[i & mask_].stamp);
  s.now = now - start_;
  s.capacity = capacity_;
  s.capacity_bytes = capacity_bytes_;
  s.puts = tail;
  s.gets = head;
  s.content = tail - head;
  s.discarded = discarded_.load(std::memory_order_relaxed);
  s.residence_ns = residence_ns_;
  s.empty_ns = empty_ns_;
  for (uint64_t i = head; i != tail; ++i) {
    s.bytes += ring_[i & mask_].bytes;
    s.residence_ns += now - ring_[i & mask_].stamp;
  }
  const int64_t pushed = head == tail ? push_sum_popped_ : ring_[(tail - 1) & mask_].push_sum;
  s.occupancy_ns = pop_sum_ + static_cast<int64_t>(s.content) * s.now - pushed;
  const int64_t empty_until = head == tail ? now : ring_[head & mask_].stamp;
  s.empty_ns += std::max<int64_t>(0, empty_until - before);
  s.fill_max = fill_max_.load(std::memory_order_relaxed);
  s.bytes_max = bytes_max_.load(std::memory_order_relaxed);
  s.full_ns = head == tail ? full_sum_popped_ : ring_[(tail - 1) & mask_].full_sum;
  const int64_t last_push = head == tail ? stamp_popped_ : ring_[(tail - 1) & mask_].stamp;
  if (s.content >= capacity_) {
    s.full_ns += now - last_push;
  } else if (tail >= capacity_) {
    // It was full until the entry `capacity` places back was taken: the next push adds that.
    s.full_ns += std::max<int64_t>(0, ring_[(tail - capacity_) & mask_].popped - last_push);
  }
  return s;
}

}  // namespace penstock
