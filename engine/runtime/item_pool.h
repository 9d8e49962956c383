#pragma once
/// Pooled items. Inside the runtime an Item* is owned by exactly one place (an edge, a slot, the
/// consumer); it is given back through a thread's magazine, so that the usual case takes no lock.

#include <memory>
#include <mutex>
#include <vector>

#include "penstock/item.h"

namespace penstock {

/// Places in a bounded pool (pinned or device memory). A place is reserved by the evaluator before
/// a firing starts and given back, on any thread, when the item goes.
class Reservations {
 public:
  virtual ~Reservations() = default;
  virtual void give_back() = 0;
  /// One place, given back when the last copy of the token goes, on whatever thread and however
  /// long after the run.
  virtual std::shared_ptr<void> token() = 0;
};

/// The items of one engine. Thread-safe.
class ItemPool {
 public:
  ItemPool() = default;
  ~ItemPool();
  ItemPool(const ItemPool&) = delete;
  ItemPool& operator=(const ItemPool&) = delete;

  /// Up to `count` free items as a list through next_free; makes new ones when there are none.
  Item* take(int count);
  void give(Item* first, Item* last);

 private:
  std::mutex mutex_;
  Item* free_ = nullptr;
  std::vector<std::unique_ptr<Item>> all_;
};

/// One thread's stock of items. Not thread-safe.
class ItemMagazine {
 public:
  explicit ItemMagazine(ItemPool* pool) : pool_(pool) {}
  ~ItemMagazine() { flush(); }
  ItemMagazine(const ItemMagazine&) = delete;
  ItemMagazine& operator=(const ItemMagazine&) = delete;

  /// An item without fields.
  Item* take() {
    if (head_ == nullptr) refill();
    Item* item = head_;
    head_ = item->next_free;
    --count_;
    return item;
  }
  /// Drops the item's contents and keeps it for reuse.
  void give(Item* item) {
    clear(*item);
    item->next_free = head_;
    head_ = item;
    if (++count_ > kMost) spill();
  }
  /// A second item with the same origin that shares the fields' memory.
  Item* clone(const Item& item);
  void flush();

 private:
  static constexpr int kBatch = 64;
  static constexpr int kMost = 256;
  static void clear(Item& item) {
    item.fields.clear();
    if (!item.samples.empty()) item.samples.clear();
    if (item.error) item.error.reset();
    if (item.reservation != nullptr) release(item);
    item.bytes = 0;
  }
  static void release(Item& item);
  void refill();
  void spill();

  ItemPool* pool_;
  Item* head_ = nullptr;
  int count_ = 0;
};

}  // namespace penstock
