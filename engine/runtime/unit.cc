#include "runtime/unit.h"

#include <algorithm>

#include "runtime/run_core.h"

namespace penstock {

Worker*& Worker::current() {
  static thread_local Worker* worker = nullptr;
  return worker;
}

void Worker::kick(Unit* unit) {
  unit->kick(*this);
  drain();
}

void Worker::drain() {
  while (!kicks_.empty()) {
    Unit* next = kicks_.back();
    kicks_.pop_back();
    next->kick(*this);
  }
}

Unit::Unit(RunCore& run, const PlanNode& node, int index, int slots)
    : run_(run),
      node_(node),
      index_(index),
      any_order_(node.order == Order::kAny && slots > 1),
      is_lone_(slots == 1 && node.where == Where::kCpu) {
  for (int i = 0; i < slots; ++i) {
    Slot& slot = *slots_.emplace_back(std::make_unique<Slot>());
    slot.unit = this;
    slot.index = static_cast<uint16_t>(i);
    slot.context.attach(&slot, run.seed(), node.stream);
    free_.push_back(static_cast<uint16_t>(slots - 1 - i));
  }
  order_.assign(static_cast<size_t>(slots), 0);
  epoch_ = run.first_epoch();
  epochs_done_ = epoch_;
  policy_epoch_ = epoch_;
  if (node.state == State::kStateless) {
    figures_of_ = shared_operator_ = node.prototype.get();
    // All runs have it in common: what it did in earlier ones does not count.
    if (shared_operator_ != nullptr) figures_before_ = shared_operator_->device_figures();
  }
}

Unit::~Unit() = default;

void Unit::connect(const std::vector<Edge*>& in, const std::vector<Edge*>& out) {
  for (Edge* edge : in) in_.push_back(edge);
  for (Edge* edge : out) out_.push_back(edge);
  starved_.assign(std::max<size_t>(1, in_.size()), 0);
  blocked_.assign(std::max<size_t>(1, out_.size()), 0);
  for (auto& slot : slots_) {
    slot->cursors.assign(out_.size(), 0);
  }
}

void Unit::begin(int64_t now) {
  start_time_ = t_old_ = now;
  for (auto& slot : slots_) slot->t_free.store(now, std::memory_order_relaxed);
}

void Unit::kick(Worker& worker) noexcept {
  // Whoever counts from 0 evaluates; the others' events are seen by its next round. The
  // read-modify-writes order our view after every event that was counted.
  if (pending_.fetch_add(1, std::memory_order_seq_cst) != 0) return;
  uint32_t seen = 1;
  for (;;) {
    Changes changes;
    evaluate(worker, &changes);
    seen = pending_.fetch_sub(seen, std::memory_order_seq_cst) - seen;
    // The read-modify-write is a full barrier: our entries, our room and our wishes are visible to
    // the neighbours before we read theirs, and theirs before they read ours.
    kick_neighbours(changes, worker);
    if (seen == 0) break;
    worker.now = now_ns();
  }
}

void Unit::evaluate(Worker& worker, Changes* changes) {
  if (snapshot_request_.load(std::memory_order_acquire) != nullptr) serve_snapshot(worker);
  ran_itself_ = false;
  do {
    must_emit_ = false;
    emit(worker);
    start(worker);
  } while (must_emit_);
  publish_wishes(changes);
}

// What start() found missing (never a second look: an entry that came in between would be nobody's
// business); only that needs a kick when it comes. A stopped unit wants everything, to drop it.
void Unit::publish_wishes(Changes* changes) {
  const bool drops = stopped_.load(std::memory_order_relaxed);
  const bool looked = !leaving_ && !free_.empty();
  for (Edge* edge : in_) {
    const bool wants = drops || (looked && edge->lacking);
    edge->want_entry(wants);
    changes->wants_entry = changes->wants_entry || wants;
  }
  changes->wants_room = wants_room_;
  changes->popped = std::exchange(in_changed_, false);
  changes->pushed = std::exchange(out_changed_, false);
}

// Behind the barrier. Another thread may evaluate this unit already, so only what any thread may
// read is looked at: a wish that came true in between kicks ourselves.
void Unit::kick_neighbours(const Changes& changes, Worker& worker) {
  if (changes.popped) {
    for (const Edge* edge : in_) {
      if (edge->wants_room()) worker.queue_kick(edge->producer);
    }
  }
  if (changes.pushed) {
    for (const Edge* edge : out_) {
      if (edge->consumer == nullptr) {
        run_.wake_consumer();
      } else if (edge->wants_entry()) {
        worker.queue_kick(edge->consumer);
      }
    }
  }
  if (changes.wants_entry) {
    for (const Edge* edge : in_) {
      if (edge->wants_entry() && edge->content() != 0) worker.queue_kick(this);
    }
  }
  if (changes.wants_room) {
    for (const Edge* edge : out_) {
      if (edge->wants_room() && edge->wanted_room_is_there()) worker.queue_kick(this);
    }
  }
}

// The usual case: nobody said done and neither did we.
bool Unit::is_wanted() const {
  if (done_sent_ >= 0 || stopped_.load(std::memory_order_relaxed)) return false;
  if (out_.size() == 1) return out_[0]->done() < 0;
  return out_.empty() && !run_.cancelled();
}

void Unit::start(Worker& worker) {
  for (;;) {
    leaving_ = false;
    if (!is_wanted() && follow_done(worker) == Step::kAgain) continue;
    if (stopped_.load(std::memory_order_relaxed) || leaving_ || free_.empty()) return;
    if (!look()) continue;
    if (start_one(worker) == Step::kIdle) return;
  }
}

// The one look at the in-edges that start_one() goes by: what comes later has its turn in the next
// one. False: an entry of an epoch that we said done() of came after follow_done() had dropped
// such.
bool Unit::look() {
  bool is_stale = false;
  for (Edge* edge : in_) {
    edge->lacking = !edge->has_entry();
    if (done_sent_ < 0 || edge->lacking) continue;
    is_stale = is_stale || edge->done() >= static_cast<int64_t>(edge->front().epoch);
  }
  return !is_stale;
}

// What done() on the out-edges and our own done() on the in-edges ask for.
Unit::Step Unit::follow_done(Worker& worker) {
  int64_t wanted_after = kDoneForever;
  if (out_.empty()) {
    wanted_after = run_.cancelled() ? kDoneForever : -1;
  } else {
    for (Edge* edge : out_) wanted_after = std::min(wanted_after, edge->done());
  }
  if (wanted_after == kDoneForever && !stopped_.load(std::memory_order_relaxed)) stop(worker);
  if (stopped_.load(std::memory_order_relaxed)) {
    for (Edge* edge : in_) {
      while (edge->has_entry()) drop_front(*edge, worker);
    }
    return Step::kIdle;
  }
  if (wanted_after >= 0 && done_sent_ < wanted_after) {
    for (Edge* edge : in_) set_done(*edge, wanted_after, worker);
  }
  if (done_sent_ >= 0) {
    for (Edge* edge : in_) {
      while (edge->has_entry() && edge->done() >= static_cast<int64_t>(edge->front().epoch)) {
        drop_front(*edge, worker);
      }
    }
  }
  if (wanted_after < static_cast<int64_t>(epoch_)) return Step::kIdle;
  if (state_in_use()) {
    leaving_ = true;
    return Step::kIdle;
  }
  drop_open(worker);
  epoch_ = static_cast<uint32_t>(wanted_after) + 1;
  reset_epoch();
  note_epoch_done(epoch_);
  return Step::kAgain;
}

void Unit::note_epoch_done(uint32_t epochs) {
  if (epochs > epochs_done_.load(std::memory_order_relaxed)) {
    epochs_done_.store(epochs, std::memory_order_release);
    if (out_.empty()) run_.wake_consumer();
  }
}

void Unit::drop_front(Edge& edge, Worker& worker) {
  if (Item* item = pop(edge, worker); item != nullptr) worker.items.give(item);
}

Item* Unit::pop(Edge& edge, Worker& worker) {
  Item* item = edge.front().item;
  edge.pop(worker.now);
  in_changed_ = true;
  return item;
}

Slot& Unit::take_slot(uint32_t epoch, int64_t stamp, int edge, uint64_t enabler) {
  const uint16_t index = free_.back();
  free_.pop_back();
  order_[order_place(order_size_++)] = index;
  Slot& slot = *slots_[index];
  slot.epoch = epoch;
  slot.firing = (static_cast<uint64_t>(index_) << 40) | next_firing_++;
  slot.enabler = enabler;
  slot.ready_edge = static_cast<uint16_t>(edge);
  slot.settled = false;
  slot.is_epoch_end = false;
  slot.waits_for_room = false;
  slot.t_head = slot.t_room = 0;
  if constexpr (kClocks) {
    const int64_t in = std::max(stamp, slot.t_free.load(std::memory_order_relaxed));
    slot.t_in.store(in, std::memory_order_relaxed);
    slot.t_ready.store(in, std::memory_order_relaxed);
    slot.t_start.store(0, std::memory_order_relaxed);
    slot.t_end.store(0, std::memory_order_relaxed);
  }
  return slot;
}

void Unit::make_ready(Slot& slot, Worker& worker) {
  slot.has_body = true;
  const Origin& origin = slot.inputs.empty() ? slot.origin : slot.inputs[0]->origin;
  slot.position.store(origin.position, std::memory_order_relaxed);
  slot.state.store(Slot::kTaken, std::memory_order_release);
  if (runs_itself(worker)) {
    ran_itself_ = true;
    execute(slot, worker);
    must_emit_ = true;
  } else {
    executor->submit(slot, worker);
  }
}

// A body that is shorter than a hand-over is not handed over: its evaluation goes on with what it
// gave. Only where no second slot could want evaluating meanwhile, and once an evaluation, so that
// downstream comes first. A mean of 0 is not known yet.
bool Unit::runs_itself(const Worker& worker) const {
  const uint32_t mean = mean_body();
  return is_lone_ && !ran_itself_ && mean != 0 && mean <= kHandOverNs &&
         executor->takes_next(*this, worker);
}

void Unit::pass_through(Item* item, EntryKind kind, uint32_t epoch, int64_t stamp, int edge,
                        uint64_t enabler, Worker& worker) {
  Slot& slot = take_slot(epoch, stamp, edge, enabler);
  if (item != nullptr) slot.position.store(item->origin.position, std::memory_order_relaxed);
  Output output;
  output.item = item;
  output.kind = kind;
  output.epoch = epoch;
  slot.outputs.push_back(output);
  finish_unrun(slot, worker);
}

void Unit::finish_unrun(Slot& slot, Worker& worker) {
  slot.has_body = false;
  if constexpr (kClocks) {
    const int64_t at = std::max(worker.now, slot.t_ready.load(std::memory_order_relaxed));
    slot.t_start.store(at, std::memory_order_relaxed);
    slot.t_end.store(at, std::memory_order_relaxed);
  }
  slot.state.store(Slot::kDone, std::memory_order_release);
  must_emit_ = true;
}

void Unit::pass_front(int edge, Worker& worker) {
  Edge& e = *in_[static_cast<size_t>(edge)];
  const Entry& front = e.front();
  const EntryKind kind = front.kind;
  const int64_t stamp = front.stamp;
  const uint64_t enabler = front.firing;
  const uint32_t epoch = front.epoch;
  pass_through(pop(e, worker), kind, epoch, stamp, edge, enabler, worker);
}

void Unit::end_epoch(int64_t stamp, int edge, uint64_t enabler, Worker& worker) {
  Slot& slot = take_slot(epoch_, stamp, edge, enabler);
  slot.is_epoch_end = true;
  Output output;
  output.kind = EntryKind::kEpochEnd;
  output.epoch = epoch_;
  slot.outputs.push_back(output);
  finish_unrun(slot, worker);
  ++epoch_;
  reset_epoch();
}

void Unit::set_done(Edge& edge, int64_t epoch, Worker& worker) {
  done_sent_ = std::max(done_sent_, epoch);
  if (edge.set_done(epoch)) worker.queue_kick(edge.producer);
}

void Unit::stop(Worker& worker) {
  stopped_.store(true, std::memory_order_release);
  if (t_drained_ == 0) t_drained_ = std::max(worker.now, t_old_);
  if (!state_in_use()) drop_open(worker);
  for (Edge* edge : in_) set_done(*edge, kDoneForever, worker);
  for (Edge* edge : out_) edge->want_room(false);
  wants_room_ = false;
  run_.wake_consumer();
}

}  // namespace penstock
