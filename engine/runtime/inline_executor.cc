#include "runtime/inline_executor.h"

#include <algorithm>

#include "penstock/random.h"
#include "runtime/unit.h"

namespace penstock {

void InlineExecutor::submit(Slot& slot, Worker& worker) {
  (void)worker;
  std::lock_guard lock(mutex_);
  ready_.push_back(&slot);
}

Slot* InlineExecutor::take() {
  std::lock_guard lock(mutex_);
  if (ready_.empty()) return nullptr;
  auto chosen = ready_.begin();
  if (seed_) {
    *seed_ = mix64(*seed_, ready_.size());
    chosen += static_cast<std::ptrdiff_t>(*seed_ % ready_.size());
  } else {
    chosen = std::max_element(ready_.begin(), ready_.end(), [](const Slot* a, const Slot* b) {
      return a->unit->depth < b->unit->depth;
    });
  }
  Slot* slot = *chosen;
  ready_.erase(chosen);
  return slot;
}

}  // namespace penstock
