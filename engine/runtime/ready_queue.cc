#include "runtime/ready_queue.h"

#include <algorithm>

namespace penstock {

ReadyQueue::ReadyQueue(const std::vector<int>& slots_at) {
  std::vector<int> at(rings_.size(), 0);
  for (size_t depth = 0; depth < slots_at.size(); ++depth) {
    at[static_cast<size_t>(level(static_cast<int>(depth)))] += slots_at[depth];
  }
  for (size_t i = 0; i < rings_.size(); ++i) {
    const auto size = std::bit_ceil(static_cast<uint32_t>(std::max(1, at[i])));
    rings_[i].places.assign(size, nullptr);
    rings_[i].mask = size - 1;
  }
}

void ReadyQueue::push(Slot* slot, int depth) {
  const int at = level(depth);
  Ring& ring = rings_[static_cast<size_t>(at)];
  ring.places[ring.tail++ & ring.mask] = slot;
  ++size_;
  mask_.store(mask() | (uint64_t{1} << at), std::memory_order_relaxed);
  work_.store(work() + slot->worth, std::memory_order_relaxed);
}

Slot* ReadyQueue::pop() {
  if (size_ == 0) return nullptr;
  const int at = 63 - std::countl_zero(mask());
  Ring& ring = rings_[static_cast<size_t>(at)];
  Slot* slot = ring.places[ring.head++ & ring.mask];
  if (ring.head == ring.tail) {
    mask_.store(mask() & ~(uint64_t{1} << at), std::memory_order_relaxed);
  }
  --size_;
  work_.store(work() - slot->worth, std::memory_order_relaxed);
  return slot;
}

}  // namespace penstock
