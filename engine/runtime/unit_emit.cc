// Emission: finished slots hand their outputs to the out-edges, in dispatch order (or, under `any`,
// in order of finishing). A result that finds no room stays parked in its slot.

#include <algorithm>

#include "runtime/run_core.h"
#include "runtime/unit.h"

namespace penstock {

bool Unit::emit(Worker& worker) {
  if (order_size_ == 0) return false;
  if (stopped_.load(std::memory_order_relaxed)) return drop_finished(worker);
  return any_order_ ? emit_any(worker) : emit_in_order(worker);
}

bool Unit::emit_in_order(Worker& worker) {
  bool progress = false;
  while (order_size_ > 0) {
    Slot& slot = *slots_[order_[order_head_]];
    if (!see_finished(slot, worker) || !try_emit(slot, worker)) break;
    if (++order_head_ == order_.size()) order_head_ = 0;
    --order_size_;
    progress = true;
  }
  return progress;
}

bool Unit::emit_any(Worker& worker) {
  bool progress = false;
  while (order_size_ > 0) {
    // The slot that finished first; nothing passes an older epoch_end.
    if (begun_ == nullptr) {
      for (uint32_t i = 0; i < order_size_; ++i) {
        Slot& slot = *slots_[order_[order_place(i)]];
        const bool done = slot.state.load(std::memory_order_acquire) == Slot::kDone;
        if (slot.is_epoch_end) {
          if (i == 0 && done) begun_ = &slot;
          break;
        }
        if (done && (begun_ == nullptr || slot.t_end.load(std::memory_order_relaxed) <
                                              begun_->t_end.load(std::memory_order_relaxed))) {
          begun_ = &slot;
        }
      }
    }
    if (begun_ == nullptr) break;
    Slot& slot = *begun_;
    const uint16_t index = slot.index;
    if (!see_finished(slot, worker) || !try_emit(slot, worker)) break;
    begun_ = nullptr;
    uint32_t at = 0;
    while (order_[order_place(at)] != index) ++at;
    for (; at > 0; --at) {
      order_[order_place(at)] = order_[order_place(at - 1)];
    }
    order_head_ = static_cast<uint32_t>(order_place(1));
    --order_size_;
    progress = true;
  }
  return progress;
}

// After the stop nobody wants results: slots go free as their bodies end, in any order.
bool Unit::drop_finished(Worker& worker) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < order_size_; ++i) {
    const uint16_t index = order_[order_place(i)];
    Slot& slot = *slots_[index];
    if (!see_finished(slot, worker)) {
      order_[order_place(kept++)] = index;
      continue;
    }
    if (slot.t_room == 0) slot.t_room = std::max(slot.t_head, worker.now);
    if (slot.is_epoch_end) note_epoch_done(slot.epoch + 1);
    release(slot, worker);
  }
  const bool progress = kept != order_size_;
  order_size_ = kept;
  begun_ = nullptr;
  if (!state_in_use()) drop_open(worker);
  return progress;
}

bool Unit::see_finished(Slot& slot, Worker& worker) {
  if (slot.state.load(std::memory_order_acquire) != Slot::kDone) return false;
  if constexpr (kClocks) {
    if (slot.t_head == 0) {
      const int64_t end = slot.t_end.load(std::memory_order_relaxed);
      if (worker.now < end) worker.now = std::max(now_ns(), end);
      slot.t_head = worker.now;
    }
  }
  return true;
}

bool Unit::try_emit(Slot& slot, Worker& worker) {
  if (!slot.settled) {
    settle(slot);
    for (Output& output : slot.outputs) output.edges_left = static_cast<uint32_t>(out_.size());
  }
  if (out_.empty()) {
    absorb_outputs(slot, worker);
  } else if (!push_outputs(slot, worker)) {
    slot.waits_for_room = true;
    return false;
  }
  if constexpr (kClocks) {
    slot.t_room = slot.t_head;
    if (slot.waits_for_room) {
      const int64_t room = out_[slot.full_edge]->last_pop();
      worker.now = std::max(worker.now, slot.t_head);
      slot.t_room = std::clamp(room, slot.t_head, worker.now);
    }
  }
  const bool ends_epoch = slot.is_epoch_end;
  const uint32_t epoch = slot.epoch;
  release(slot, worker);
  if (ends_epoch) {
    if (static_cast<int64_t>(epoch) + 1 >= run_.end_epoch() && t_drained_ == 0) {
      t_drained_ = std::max(worker.now, t_old_);
    }
    note_epoch_done(epoch + 1);
  }
  return true;
}

bool Unit::push_outputs(Slot& slot, Worker& worker) {
  const auto count = static_cast<uint32_t>(slot.outputs.size());
  bool all = true;
  for (size_t i = 0; i < out_.size(); ++i) {
    Edge& edge = *out_[i];
    uint32_t& cursor = slot.cursors[i];
    while (cursor < count) {
      Output& output = slot.outputs[cursor];
      if (!edge.is_done(output.epoch)) {
        const uint64_t bytes = output.kind == EntryKind::kItem ? output.item->bytes : 0;
        if (!edge.has_room(bytes)) {
          slot.full_edge = static_cast<uint16_t>(i);
          edge.want_room(true, bytes);
          wants_room_ = true;
          all = false;
          break;
        }
        push_output(edge, slot, output, worker);
        out_changed_ = true;
      } else {
        edge.count_discard();
        if (--output.edges_left == 0 && output.item != nullptr) {
          worker.items.give(std::exchange(output.item, nullptr));
        }
      }
      ++cursor;
    }
    if (cursor == count && edge.wants_room()) edge.want_room(false);
  }
  if (all) wants_room_ = false;
  return all;
}

// The last edge to take an output gets the item itself, the others a copy that shares the memory.
void Unit::push_output(Edge& edge, Slot& slot, Output& output, Worker& worker) {
  const bool last = --output.edges_left == 0;
  Item* item = output.item;
  if (item != nullptr)
    item = last ? std::exchange(output.item, nullptr) : worker.items.clone(*item);
  const uint64_t bytes = item != nullptr && output.kind == EntryKind::kItem ? item->bytes : 0;
  edge.push(item, output.kind, output.epoch, bytes, slot.firing, worker.now);
}

// A Sink is the end of the way: it keeps the first error and goes on.
void Unit::absorb_outputs(Slot& slot, Worker& worker) {
  for (Output& output : slot.outputs) {
    if (output.kind == EntryKind::kError) run_.sink_error(*this, output.item->error, output.epoch);
    if (output.item != nullptr) worker.items.give(std::exchange(output.item, nullptr));
  }
}

// Policies count here, in order of emission, from zero in each epoch.
void Unit::settle(Slot& slot) {
  slot.settled = true;
  if (!slot.has_body && !slot.is_epoch_end) {
    if (slot.outputs[0].kind == EntryKind::kItem) ++items_out_;
    return;
  }
  if (policy_epoch_ != slot.epoch) {
    policy_epoch_ = slot.epoch;
    settled_ = failures_ = 0;
  }
  for (Output& output : slot.outputs) {
    if (output.kind == EntryKind::kEpochEnd) continue;
    ++settled_;
    if (output.failed) settle_failure(output);
    if (output.kind == EntryKind::kItem) ++items_out_;
    if (output.kind == EntryKind::kTombstone && !output.failed) ++filtered_;
  }
  if (slot.is_epoch_end) add_fraction_error(slot);
}

void Unit::settle_failure(Output& output) {
  ++failures_;
  const ErrorPolicy& policy = node_.policy;
  bool skip = policy.skip && !output.item->error->of_machine;
  if (policy.max_count && failures_ > *policy.max_count) skip = false;
  if (policy.max_fraction) {
    const uint64_t known = run_.known_length(node_, output.epoch);
    const auto base = static_cast<double>(known > 0 ? known : std::max<uint64_t>(settled_, 10'000));
    if (static_cast<double>(failures_) > *policy.max_fraction * base) skip = false;
  }
  if (!skip) {
    ++errors_;
    output.kind = EntryKind::kError;
    return;
  }
  ++skipped_;
  run_.note_skipped(*output.item->error);
  output.kind = EntryKind::kTombstone;
  output.item->error.reset();
}

// The epoch's true length is known now: too many skips become an error before its end.
void Unit::add_fraction_error(Slot& slot) {
  const ErrorPolicy& policy = node_.policy;
  if (!policy.skip || !policy.max_fraction || failures_ == 0) return;
  if (static_cast<double>(failures_) <= *policy.max_fraction * static_cast<double>(settled_))
    return;
  ++errors_;
  Output error;
  error.kind = EntryKind::kError;
  error.epoch = slot.epoch;
  Origin origin;  // of no sample
  origin.epoch = slot.epoch;
  error.item = run_.make_error_item(node_, origin,
                                    std::to_string(failures_) + " of " + std::to_string(settled_) +
                                        " samples failed, more than on_error.max_fraction allows");
  slot.outputs.push_front(error);
}

}  // namespace penstock
