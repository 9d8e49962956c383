#include "runtime/item_pool.h"

#include <utility>

namespace penstock {

ItemPool::~ItemPool() = default;

Item* ItemPool::take(int count) {
  std::lock_guard lock(mutex_);
  Item* list = nullptr;
  for (int i = 0; i < count; ++i) {
    Item* item = free_;
    if (item != nullptr) {
      free_ = item->next_free;
    } else {
      item = all_.emplace_back(std::make_unique<Item>()).get();
    }
    item->next_free = list;
    list = item;
  }
  return list;
}

void ItemPool::give(Item* first, Item* last) {
  std::lock_guard lock(mutex_);
  last->next_free = free_;
  free_ = first;
}

Item* ItemMagazine::clone(const Item& item) {
  Item* copy = take();
  copy->origin = item.origin;
  copy->samples = item.samples;
  copy->fields = item.fields;
  copy->error = item.error;
  copy->bytes = item.bytes;
  return copy;
}

void ItemMagazine::release(Item& item) {
  static_cast<Reservations*>(std::exchange(item.reservation, nullptr))->give_back();
}

void ItemMagazine::refill() {
  head_ = pool_->take(kBatch);
  count_ = kBatch;
}

void ItemMagazine::spill() {
  Item* first = head_;
  Item* last = first;
  for (int i = 1; i < kMost / 2; ++i) last = last->next_free;
  head_ = last->next_free;
  count_ -= kMost / 2;
  pool_->give(first, last);
}

void ItemMagazine::flush() {
  if (head_ == nullptr) return;
  Item* last = head_;
  while (last->next_free != nullptr) last = last->next_free;
  pool_->give(head_, last);
  head_ = nullptr;
  count_ = 0;
}

}  // namespace penstock
