#include <algorithm>

#include "runtime/kinds.h"
#include "runtime/run_core.h"

namespace penstock {

ExpandUnit::ExpandUnit(RunCore& run, const PlanNode& node, int index, int slots)
    : Unit(run, node, index, slots) {
  const int cycle = run.serial() ? std::max(1, node.cycle) : node.cycle;
  for (int i = 0; i < cycle; ++i) places_.push_back(std::make_unique<OpenStream>());
}

ExpandUnit::~ExpandUnit() = default;

bool ExpandUnit::state_in_use() const {
  return std::any_of(places_.begin(), places_.end(),
                     [](const auto& place) { return place->busy.load(std::memory_order_acquire); });
}

void ExpandUnit::close(OpenStream& place, Worker& worker) {
  place.stream.reset();
  if (place.parent != nullptr) worker.items.give(std::exchange(place.parent, nullptr));
  place.open = false;
}

void ExpandUnit::drop_open(Worker& worker) {
  for (auto& place : places_) close(*place, worker);
}

Unit::Step ExpandUnit::start_one(Worker& worker) {
  OpenStream& place = *places_[turn_];
  if (place.busy.load(std::memory_order_acquire)) return Step::kIdle;
  if (!place.open) {
    close(place, worker);
    return open_next(place, worker);
  }
  const int64_t stamp = std::exchange(place.stamp, 0);
  Slot& slot = take_slot(epoch_, stamp, 0, std::exchange(place.enabler, 0));
  slot.place = &place;
  place.busy.store(true, std::memory_order_relaxed);
  next_turn();
  make_ready(slot, worker);
  return Step::kAgain;
}

// The place whose turn it is takes the next parent and waits for it.
Unit::Step ExpandUnit::open_next(OpenStream& place, Worker& worker) {
  Edge& edge = *in_[0];
  if (edge.lacking) return Step::kIdle;
  const Entry& front = edge.front();
  const int64_t stamp = front.stamp;
  const uint64_t enabler = front.firing;
  if (front.kind == EntryKind::kEpochEnd) {
    const bool live = std::any_of(places_.begin(), places_.end(), [](const auto& other) {
      return other->busy.load(std::memory_order_acquire) || other->open;
    });
    if (live) {
      next_turn();
      return Step::kAgain;
    }
    pop(edge, worker);
    drop_open(worker);  // streams that are exhausted keep their parent until here
    end_epoch(stamp, 0, enabler, worker);
    return Step::kAgain;
  }
  if (front.kind != EntryKind::kItem) {
    pass_front(0, worker);
    return Step::kAgain;
  }
  place.stamp = stamp;
  place.enabler = enabler;
  place.parent = pop(edge, worker);
  count_in(1);
  place.open = true;
  place.next_child = 0;
  return Step::kAgain;
}

// A chunk of a fixed count; an exhausted stream is found when it is asked.
void ExpandUnit::body(Slot& slot, Worker& worker) {
  OpenStream& place = *slot.place;
  // Whatever happens, the place is free for the evaluator when the body ends.
  struct Done {
    OpenStream& place;
    ~Done() { place.busy.store(false, std::memory_order_release); }
  } done{place};
  slot.origin = place.parent->origin;
  try {
    Operator& operation = op(slot);
    for (int i = 0; i < node_.chunk && place.open; ++i) {
      if (!produce_child(slot, operation, place, worker)) place.open = false;
    }
  } catch (...) {
    place.open = false;
    throw;
  }
}

bool ExpandUnit::produce_child(Slot& slot, Operator& operation, OpenStream& place, Worker& worker) {
  const Item* parent = place.parent;
  if (slot.origin.depth == parent->origin.depth) {
    if (slot.origin.depth == Origin::kMaxDepth) {
      throw std::length_error("more 1 -> N nodes follow each other than an origin can hold");
    }
    ++slot.origin.depth;
  }
  slot.origin.child[parent->origin.depth] = place.next_child;
  if (!place.stream) {
    slot.context.begin(&parent, 1, &parent->origin);
    place.stream = static_cast<Expand&>(operation).open(slot.context);
  }
  slot.context.begin(&parent, 1, &slot.origin);
  if (!place.stream || !place.stream->next(slot.context)) return false;
  ++place.next_child;
  Item* child = worker.items.clone(*parent);
  child->origin = slot.origin;
  child->samples.clear();
  finish_body(slot, child, worker);
  return true;
}

}  // namespace penstock
