#pragma once
/// Bounded edges: the payload's only way. One producer unit pushes, one consumer unit (or the
/// training loop) pops; each side is used by one thread at a time because evaluations of a unit
/// never overlap, so a single-producer single-consumer ring is enough.

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

#include "measure/snapshot.h"
#include "penstock/item.h"
#include "runtime/clock.h"

namespace penstock {

class Unit;

enum class EntryKind : uint8_t { kItem, kTombstone, kError, kEpochEnd };

/// One place of an edge. Items, tombstones (origin only) and errors own an Item; epoch_end has
/// none.
struct alignas(64) Entry {
  Item* item = nullptr;
  int64_t stamp = 0;     ///< when it was pushed
  int64_t popped = 0;    ///< when it was taken; read by the producer when the place is used again
  int64_t push_sum = 0;  ///< sum of the stamps of all pushes up to this one, since the start
  int64_t full_sum = 0;  ///< time that the edge was full, up to this push
  uint64_t firing = 0;   ///< the producer's firing, for the critical path
  uint64_t bytes = 0;
  uint32_t epoch = 0;
  EntryKind kind = EntryKind::kItem;
};

/// done(infinity): nothing more is wanted.
inline constexpr int64_t kDoneForever = std::numeric_limits<int64_t>::max();

class Edge {
 public:
  Edge(uint64_t capacity, uint64_t capacity_bytes);

  // ---- producer's side ----
  /// Whether an entry of that many bytes fits now. An oversized one fits an empty edge.
  bool has_room(uint64_t bytes) {
    const uint64_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_seen_ >= capacity_) {
      head_seen_ = head_.load(std::memory_order_acquire);
      if (tail - head_seen_ >= capacity_) return false;
    }
    if (capacity_bytes_ == 0) return true;
    return head_.load(std::memory_order_acquire) == tail ||
           content_bytes() + bytes <= capacity_bytes_;
  }
  /// has_room() must have said yes.
  void push(Item* item, EntryKind kind, uint32_t epoch, uint64_t bytes, uint64_t firing,
            int64_t now);
  bool is_done(uint32_t epoch) const {
    return done_.load(std::memory_order_relaxed) >= static_cast<int64_t>(epoch);
  }
  int64_t done() const { return done_.load(std::memory_order_acquire); }
  void count_discard() {
    discarded_.store(discarded_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  /// The producer waits for room for that many bytes (or no longer does). Only then must a pop kick
  /// it. Set while evaluating; looked at again behind a full barrier, see Unit::kick.
  void want_room(bool wants, uint64_t bytes = 0) {
    wanted_bytes_.store(bytes, std::memory_order_relaxed);
    wants_room_.store(wants, std::memory_order_relaxed);
  }
  bool wants_room() const { return wants_room_.load(std::memory_order_relaxed); }
  /// What the producer waits for is there. Any thread.
  bool wanted_room_is_there() const {
    const uint64_t head = head_.load(std::memory_order_acquire);
    const uint64_t tail = tail_.load(std::memory_order_acquire);
    if (tail - head >= capacity_) return false;
    return capacity_bytes_ == 0 || tail == head ||
           content_bytes() + wanted_bytes_.load(std::memory_order_relaxed) <= capacity_bytes_;
  }
  /// When the last pop happened: the moment at which room appeared.
  int64_t last_pop() const { return last_pop_.load(std::memory_order_relaxed); }

  // ---- consumer's side ----
  bool has_entry() {
    const uint64_t head = head_.load(std::memory_order_relaxed);
    if (head != tail_seen_) return true;
    tail_seen_ = tail_.load(std::memory_order_acquire);
    return head != tail_seen_;
  }
  /// The consumer waits for an entry (or no longer does). Only then must a push kick it.
  void want_entry(bool wants) { wants_entry_.store(wants, std::memory_order_relaxed); }
  bool wants_entry() const { return wants_entry_.load(std::memory_order_relaxed); }
  Entry& front() { return ring_[head_.load(std::memory_order_relaxed) & mask_]; }
  /// Takes the front entry off; its item belongs to the caller, who read it before.
  void pop(int64_t now);
  /// Wants nothing more of epochs <= epoch. Returns true when that is news.
  bool set_done(int64_t epoch) {
    if (done_.load(std::memory_order_relaxed) >= epoch) return false;
    done_.store(epoch, std::memory_order_release);
    return true;
  }
  void prefetch_head() const { __builtin_prefetch(&head_, 1); }
  void prefetch_tail() const {
    __builtin_prefetch(&tail_, 1);
    __builtin_prefetch(&ring_[tail_.load(std::memory_order_relaxed) & mask_], 1);
  }
  /// By the consumer's side, so that content and integrals agree.
  EdgeSnapshot snapshot(int64_t now);

  /// Any thread: whether it holds nothing and how full it is, for messages.
  uint64_t content() const {
    const uint64_t head = head_.load(std::memory_order_acquire);
    return tail_.load(std::memory_order_acquire) - head;
  }
  uint64_t capacity() const { return capacity_; }
  uint64_t capacity_bytes() const { return capacity_bytes_; }
  void begin(int64_t now) {
    start_ = now;
    last_push_ = now;
    last_pop_.store(now, std::memory_order_relaxed);
  }

  Unit* producer = nullptr;
  Unit* consumer = nullptr;  ///< null: the training loop
  int index = 0;             ///< in the plan
  size_t port = 0;           ///< among the consumer's in-edges

 private:
  uint64_t content_bytes() const {
    return bytes_in_.load(std::memory_order_relaxed) - bytes_out_.load(std::memory_order_acquire);
  }

  const uint64_t capacity_;
  const uint64_t capacity_bytes_;
  uint64_t mask_;
  std::unique_ptr<Entry[]> ring_;
  std::atomic<int64_t> done_{-1};
  int64_t start_ = 0;

  // Written by the producer.
  alignas(64) std::atomic<uint64_t> tail_{0};
  std::atomic<bool> wants_room_{false};
  std::atomic<uint64_t> wanted_bytes_{0};
  uint64_t head_seen_ = 0;
  int64_t last_push_ = 0;
  int64_t push_sum_ = 0;
  std::atomic<uint64_t> bytes_in_{0};
  std::atomic<uint64_t> fill_max_{0};
  std::atomic<uint64_t> bytes_max_{0};
  int64_t full_sum_ = 0;
  std::atomic<uint64_t> discarded_{0};

  // Written by the consumer.
  alignas(64) std::atomic<uint64_t> head_{0};
  std::atomic<bool> wants_entry_{true};

 public:
  /// For the consumer's evaluator: its last look found nothing. Decisions of one step go by one
  /// look, or an entry that comes in between is taken for what it is not.
  bool lacking = true;

 private:
  uint64_t tail_seen_ = 0;
  std::atomic<uint64_t> bytes_out_{0};
  std::atomic<int64_t> last_pop_{0};
  int64_t residence_ns_ = 0;
  int64_t empty_ns_ = 0;
  int64_t pop_sum_ = 0;
  int64_t push_sum_popped_ = 0;  ///< `push_sum` of the last entry taken
  int64_t full_sum_popped_ = 0;  ///< its `full_sum`
  int64_t stamp_popped_ = 0;     ///< its `stamp`
};

}  // namespace penstock
