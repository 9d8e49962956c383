#include "runtime/kinds.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <string>

#include "base/thrown.h"
#include "runtime/run_core.h"

namespace penstock {

std::unique_ptr<Unit> make_unit(RunCore& run, const PlanNode& node, int index, int slots) {
  switch (node.kind) {
    case Kind::kSource:
      return std::make_unique<SourceUnit>(run, node, index, slots);
    case Kind::kMap:
    case Kind::kSink:
      return std::make_unique<MapUnit>(run, node, index, slots);
    case Kind::kTake:
      return std::make_unique<TakeUnit>(run, node, index, slots);
    case Kind::kCollate:
      return std::make_unique<CollateUnit>(run, node, index, slots);
    case Kind::kZip:
      return std::make_unique<ZipUnit>(run, node, index, slots);
    case Kind::kMerge:
      return std::make_unique<MergeUnit>(run, node, index, slots);
    case Kind::kExpand:
      return std::make_unique<ExpandUnit>(run, node, index, slots);
  }
  return nullptr;
}

// ---------------------------------------------------------------- source

SourceUnit::SourceUnit(RunCore& run, const PlanNode& node, int index, int slots)
    : Unit(run, node, index, slots), source_(dynamic_cast<const Source&>(*node.prototype)) {}

void SourceUnit::reset_epoch() {
  position_ = 0;
  length_.reset();
  order_.reset();
  // The epoch may have been left while the source waited at the gate, perhaps for good.
  gated_.store(false, std::memory_order_seq_cst);
  admitted_.store(false, std::memory_order_relaxed);
}

// An operator that fails to tell gives an error in place of the epoch's samples.
uint64_t SourceUnit::ask_length(Worker& worker) {
  try {
    return source_.size(epoch_);
  } catch (...) {
    Origin origin;  // of no sample
    origin.epoch = epoch_;
    Item* item =
        run_.make_error_item(node_, origin, "the source cannot tell its length: " + thrown_text());
    count_error();
    pass_through(item, EntryKind::kError, epoch_, 0, 0, 0, worker);
  }
  return 0;
}

Unit::Step SourceUnit::start_one(Worker& worker) {
  if (!run_.may_begin_epoch(epoch_)) return Step::kIdle;
  if (!length_) {
    length_ = ask_length(worker);
    if (node_.shuffle) order_.emplace(*length_, run_.seed(), node_.source_index, epoch_);
    return Step::kAgain;  // the slot may be taken, by an error
  }
  if (position_ >= *length_) {
    end_epoch(0, 0, 0, worker);
    return Step::kAgain;
  }
  const bool was_gated = gated_.load(std::memory_order_relaxed);
  if (run_.gate_closed() && !admitted_.exchange(false, std::memory_order_acq_rel)) {
    gated_.store(true, std::memory_order_seq_cst);
    if (run_.gate_closed()) return Step::kIdle;  // else it opened in between
  }
  gated_.store(false, std::memory_order_seq_cst);
  Slot& slot = take_slot(epoch_, 0, 0, 0);
  if (was_gated && kClocks) {
    slot.t_ready.store(std::max(worker.now, slot.t_in.load(std::memory_order_relaxed)),
                       std::memory_order_relaxed);
  }
  slot.origin = Origin{};
  slot.origin.source = node_.source_index;
  slot.origin.epoch = epoch_;
  slot.origin.position = position_;
  slot.origin.index = order_ ? (*order_)(position_) : position_;
  ++position_;
  make_ready(slot, worker);
  return Step::kAgain;
}

void SourceUnit::body(Slot& slot, Worker& worker) {
  Operator& operation = op(slot);
  slot.context.begin(nullptr, 0, &slot.origin);
  if (!invoke(operation, slot)) return;
  Item* item = worker.items.take();
  item->origin = slot.origin;
  finish_body(slot, item, worker);
}

// ---------------------------------------------------------------- map and sink

/// Places for outputs whose memory is bounded: reserved by the evaluator in dispatch order, given
/// back when the item goes, or what took the place over, perhaps after the run.
class MapUnit::Pool final : public Reservations, public std::enable_shared_from_this<Pool> {
 public:
  Pool(Unit* unit, size_t places) : unit_(unit), free_(static_cast<int64_t>(places)) {}
  bool available() const { return free_.load(std::memory_order_acquire) > 0; }
  void take() { free_.fetch_sub(1, std::memory_order_acq_rel); }
  void give_back() override {
    free_.fetch_add(1, std::memory_order_seq_cst);
    Unit* unit = nullptr;
    {
      const std::lock_guard lock(mutex_);
      unit = unit_;
      if (unit == nullptr) return;
      unit->run().enter();  // the run waits for us before it goes
    }
    RunCore& run = unit->run();
    run.kick_soon(unit);
    run.leave();
  }
  std::shared_ptr<void> token() override {
    return {this, [pool = shared_from_this()](void*) { pool->give_back(); }};
  }
  void close() {
    const std::lock_guard lock(mutex_);
    unit_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Unit* unit_;  // null: the run has ended
  std::atomic<int64_t> free_;
};

MapUnit::MapUnit(RunCore& run, const PlanNode& node, int index, int slots)
    : Unit(run, node, index, slots) {
  if (node.output_pool > 0) pool_ = std::make_shared<Pool>(this, node.output_pool);
}
MapUnit::~MapUnit() { close_pool(); }

void MapUnit::close_pool() {
  if (pool_) pool_->close();
}

Unit::Step MapUnit::start_one(Worker& worker) {
  Edge& edge = *in_[0];
  if (edge.lacking) return Step::kIdle;
  const Entry& front = edge.front();
  if (front.kind == EntryKind::kEpochEnd) {
    const int64_t stamp = front.stamp;
    const uint64_t enabler = front.firing;
    pop(edge, worker);
    end_epoch(stamp, 0, enabler, worker);
    return Step::kAgain;
  }
  if (front.kind != EntryKind::kItem) {
    pass_front(0, worker);
    return Step::kAgain;
  }
  if (pool_ && !pool_->available()) {
    if (waits_since_ == 0) waits_since_ = std::max(worker.now, front.stamp);
    return Step::kIdle;
  }
  Slot& slot = take_slot(front.epoch, front.stamp, 0, front.firing);
  if (pool_) {
    pool_->take();
    slot.reservation = pool_.get();
    if (waits_since_ != 0 && kClocks) {
      slot.t_ready.store(std::max(worker.now, slot.t_in.load(std::memory_order_relaxed)),
                         std::memory_order_relaxed);
    }
    waits_since_ = 0;
  }
  slot.inputs.clear();
  slot.inputs.push_back(pop(edge, worker));
  count_in(1);
  make_ready(slot, worker);
  return Step::kAgain;
}

void MapUnit::body(Slot& slot, Worker& worker) {
  Unit::body(slot, worker);
  if (slot.reservation != nullptr && !slot.outputs.empty() &&
      slot.outputs.back().kind == EntryKind::kItem) {
    slot.outputs.back().item->reservation = std::exchange(slot.reservation, nullptr);
  }
}

// ---------------------------------------------------------------- take

TakeUnit::TakeUnit(RunCore& run, const PlanNode& node, int index, int slots)
    : Unit(run, node, index, slots), limit_(dynamic_cast<Take&>(*node.prototype).limit()) {}

Unit::Step TakeUnit::start_one(Worker& worker) {
  Edge& edge = *in_[0];
  if (taken_ >= limit_) {
    if (!run_.may_begin_epoch(epoch_)) return Step::kIdle;
    set_done(edge, epoch_, worker);
    end_epoch(0, 0, 0, worker);
    return Step::kAgain;
  }
  if (edge.lacking) return Step::kIdle;
  const Entry& front = edge.front();
  if (front.kind == EntryKind::kEpochEnd) {
    const int64_t stamp = front.stamp;
    const uint64_t enabler = front.firing;
    pop(edge, worker);
    end_epoch(stamp, 0, enabler, worker);
    return Step::kAgain;
  }
  if (front.kind == EntryKind::kItem) {
    ++taken_;
    count_in(1);
  }
  pass_front(0, worker);
  if (taken_ >= limit_) set_done(edge, epoch_, worker);
  return Step::kAgain;
}

// ---------------------------------------------------------------- collate

CollateUnit::CollateUnit(RunCore& run, const PlanNode& node, int index, int slots)
    : Unit(run, node, index, slots),
      batch_size_(dynamic_cast<Collate&>(*node.prototype).batch_size()),
      drop_last_(dynamic_cast<Collate&>(*node.prototype).drop_last()) {
  group_.reserve(std::min<size_t>(batch_size_, 4096));
}
CollateUnit::~CollateUnit() = default;

Unit::Step CollateUnit::start_one(Worker& worker) {
  Edge& edge = *in_[0];
  if (edge.lacking) return Step::kIdle;
  const Entry& front = edge.front();
  const int64_t stamp = front.stamp;
  const uint64_t enabler = front.firing;
  switch (front.kind) {
    case EntryKind::kEpochEnd:
      if (!group_.empty()) {
        if (drop_last_) {
          drop_open(worker);
        } else {
          fire(worker);
        }
        return Step::kAgain;
      }
      pop(edge, worker);
      end_epoch(stamp, 0, enabler, worker);
      return Step::kAgain;
    case EntryKind::kTombstone:
      drop_front(edge, worker);
      return Step::kAgain;
    case EntryKind::kError:
      pass_front(0, worker);
      return Step::kAgain;
    case EntryKind::kItem:
      break;
  }
  group_.push_back(pop(edge, worker));
  count_in(1);
  group_stamp_ = std::max(group_stamp_, stamp);
  group_enabler_ = enabler;
  if (group_.size() == batch_size_) fire(worker);
  return Step::kAgain;
}

void CollateUnit::fire(Worker& worker) {
  Slot& slot = take_slot(epoch_, group_stamp_, 0, group_enabler_);
  slot.inputs.swap(group_);
  group_.clear();
  group_stamp_ = 0;
  make_ready(slot, worker);
}

void CollateUnit::drop_open(Worker& worker) {
  for (Item* item : group_) worker.items.give(item);
  group_.clear();
  group_stamp_ = 0;
}

void CollateUnit::body(Slot& slot, Worker& worker) {
  Operator& operation = op(slot);
  slot.context.begin(slot.inputs.data(), slot.inputs.size(), &slot.inputs[0]->origin);
  operation.process(slot.context);
  Item* batch = worker.items.take();
  batch->origin = slot.inputs[0]->origin;
  for (const Item* item : slot.inputs) {
    if (item->samples.empty()) {
      batch->samples.push_back(item->origin);
    } else {
      batch->samples.insert(batch->samples.end(), item->samples.begin(), item->samples.end());
    }
  }
  finish_body(slot, batch, worker);
}

// ---------------------------------------------------------------- merge

MergeUnit::MergeUnit(RunCore& run, const PlanNode& node, int index, int slots)
    : Unit(run, node, index, slots), ended_(node.in_edges.size(), 0) {}

void MergeUnit::reset_epoch() {
  std::fill(ended_.begin(), ended_.end(), 0);
  turn_ = 0;
}

// The in-edge whose entry goes next, or -1.
int MergeUnit::due() {
  if (node_.order == Order::kAny) {
    for (size_t i = 0; i < in_.size(); ++i) {
      const size_t at = (turn_ + i) % in_.size();
      if (ended_[at] == 0 && !in_[at]->lacking) return static_cast<int>(at);
    }
    return -1;
  }
  while (ended_[turn_] != 0) turn_ = (turn_ + 1) % in_.size();
  return in_[turn_]->lacking ? -1 : static_cast<int>(turn_);
}

Unit::Step MergeUnit::start_one(Worker& worker) {
  bool all_ended = true;
  for (size_t i = 0; i < in_.size(); ++i) {
    if (ended_[i] == 0 && !in_[i]->lacking && in_[i]->front().kind == EntryKind::kEpochEnd) {
      ended_[i] = 1;
    }
    all_ended = all_ended && ended_[i] != 0;
  }
  if (all_ended) {
    int64_t stamp = 0;
    int last = 0;
    uint64_t enabler = 0;
    for (size_t i = 0; i < in_.size(); ++i) {
      const Entry& front = in_[i]->front();
      if (front.stamp >= stamp) {
        stamp = front.stamp;
        last = static_cast<int>(i);
        enabler = front.firing;
      }
      pop(*in_[i], worker);
    }
    end_epoch(stamp, last, enabler, worker);
    return Step::kAgain;
  }
  const int from = due();
  if (from < 0) return Step::kIdle;
  turn_ = (static_cast<size_t>(from) + 1) % in_.size();
  if (in_[static_cast<size_t>(from)]->front().kind == EntryKind::kItem) count_in(1);
  pass_front(from, worker);
  return Step::kAgain;
}

}  // namespace penstock
