// Clocks: what a slot's stamps mean, added up when it is freed and closed to now in a snapshot.

#include <algorithm>
#include <chrono>
#include <thread>

#include "runtime/run_core.h"
#include "runtime/unit.h"

namespace penstock {
namespace {

// Splits `total` over the marked entries so that the parts sum to it exactly.
void split(int64_t total, const std::vector<char>& marked, std::vector<int64_t>* parts) {
  const auto n = static_cast<int64_t>(std::count(marked.begin(), marked.end(), 1));
  if (n == 0) {
    (*parts)[0] += total;
    return;
  }
  int64_t rest = total - total / n * n;
  for (size_t i = 0; i < marked.size(); ++i) {
    if (marked[i] == 0) continue;
    (*parts)[i] += total / n + rest;
    rest = 0;
  }
}

}  // namespace

/// Of a thread that waits for a unit's evaluator.
class Unit::Waiting {
 public:
  Waiting(RunCore& run, Patience patience) : run_(run), patience_(patience) {}
  /// A moment later; false: patience is over.
  bool go_on() {
    constexpr int kYields = 1000, kShort = 20, kWatchEvery = 1000;
    if (++looks_ < kYields) {
      std::this_thread::yield();
      return true;
    }
    const int slept = looks_ - kYields;
    if (patience_ == Patience::kShort && slept >= kShort) return false;
    if (slept % kWatchEvery == 0) run_.warn_about_long_bodies();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return true;
  }
  void last() { patience_ = Patience::kEndless; }

 private:
  RunCore& run_;
  Patience patience_;
  int looks_ = 0;
};

/// Either figures or recorded firings are asked for.
struct Unit::SnapshotRequest {
  UnitSnapshot* unit = nullptr;
  std::vector<EdgeSnapshot>* edges = nullptr;
  FiringLog* log = nullptr;
  std::atomic<bool> served{false};
};

void Unit::release(Slot& slot, Worker& worker) {
  if constexpr (kClocks) close_states(slot, worker);
  recycle(slot, worker);
  ++firings_;
  if (slot.is_epoch_end) ++epoch_ends_;
  slot.state.store(Slot::kFree, std::memory_order_relaxed);
  free_.push_back(slot.index);
}

void Unit::recycle(Slot& slot, Worker& worker) {
  for (Output& output : slot.outputs) {
    if (output.item != nullptr) worker.items.give(output.item);
  }
  slot.outputs.clear();
  for (Item*& item : slot.inputs) {
    if (item != nullptr) worker.items.give(std::exchange(item, nullptr));
  }
  for (uint32_t& cursor : slot.cursors) cursor = 0;
  if (slot.reservation != nullptr) std::exchange(slot.reservation, nullptr)->give_back();
}

void Unit::close_states(Slot& slot, Worker& worker) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const int64_t free = slot.t_free.load(kRelaxed);
  int64_t in = slot.t_in.load(kRelaxed);
  int64_t ready = slot.t_ready.load(kRelaxed);
  int64_t begin = slot.t_start.load(kRelaxed);
  int64_t end = slot.t_end.load(kRelaxed);
  int64_t head = slot.t_head;
  int64_t room = slot.t_room;
  int64_t now = worker.now;
  if (in < free || ready < in || begin < ready || end < begin || head < end || room < head ||
      now < room) {
    ++clamps_;
    in = std::max(in, free);
    ready = std::max(ready, in);
    begin = std::max(begin, ready);
    end = std::max(end, begin);
    head = std::max(head, end);
    room = std::max(room, head);
    now = worker.now = std::max(now, room);
  }
  const int64_t held_until = std::min(std::max(t_old_, end), head);
  starved_[slot.ready_edge] += in - free;
  states_.blocked_pool += ready - in;
  states_.thread_wait += begin - ready;
  states_.running += end - begin;
  states_.order_held += held_until - end;
  states_.handover += (head - held_until) + (now - room);
  blocked_[slot.full_edge] += room - head;
  if (run_.recording()) [[unlikely]] {
    record({.free = free,
            .in = in,
            .ready = ready,
            .start = begin,
            .end = end,
            .held = held_until,
            .head = head,
            .room = room,
            .done = now},
           slot);
  }
  slot.t_free.store(now, kRelaxed);
  t_old_ = now;
  if (slot.has_body) {
    service_.add(end - begin);
    update_mean(end - begin);
    if (slot.sampled.firings != 0) {
      sampled_.firings += slot.sampled.firings;
      sampled_.wall_ns += slot.sampled.wall_ns;
      sampled_.cpu_ns += slot.sampled.cpu_ns;
      sampled_.run_queue_ns += slot.sampled.run_queue_ns;
      sampled_.has_run_queue = slot.sampled.has_run_queue;
      slot.sampled = {};
    }
  }
}

// The mean body (outliers damped), and now and then the worth of moving a firing: its own time
// beyond the hand-over and what its output will cause downstream.
void Unit::update_mean(int64_t body_ns) {
  auto body = static_cast<uint32_t>(std::min<int64_t>(body_ns, 100'000'000));
  uint32_t mean = mean_body_.load(std::memory_order_relaxed);
  if (bodies_seen_ < 8) {
    mean = ++bodies_seen_ < 8 ? std::max<uint32_t>(10'000, body) : body;
  } else {
    body = std::min(body, 4 * mean + 200);
    mean = mean + static_cast<uint32_t>((static_cast<int>(body) - static_cast<int>(mean)) / 16);
  }
  mean_body_.store(mean, std::memory_order_relaxed);
  if (bodies_seen_ < 8 || firings_ % 32 == 0) {
    uint64_t worth = mean > kHandOverNs ? mean - kHandOverNs : 0;
    for (const Edge* edge : out_) {
      if (edge->consumer != nullptr) worth += edge->consumer->worth();
    }
    worth_.store(static_cast<uint32_t>(std::min<uint64_t>(worth, 1U << 30)),
                 std::memory_order_relaxed);
  }
}

bool Unit::snapshot(Worker& worker, Patience patience, UnitSnapshot* unit,
                    std::vector<EdgeSnapshot>* edges) {
  SnapshotRequest figures;
  figures.unit = unit;
  figures.edges = edges;
  return request(worker, patience, &figures);
}

void Unit::take_firings(Worker& worker, Patience patience, FiringLog* log) {
  SnapshotRequest firings;
  firings.log = log;
  request(worker, patience, &firings);
}

bool Unit::request(Worker& worker, Patience patience, SnapshotRequest* request) {
  Waiting waiting(run_, patience);
  SnapshotRequest* none = nullptr;
  while (!snapshot_request_.compare_exchange_weak(none, request)) {
    none = nullptr;
    if (!waiting.go_on()) return false;
  }
  worker.now = now_ns();
  worker.kick(this);
  while (!request->served.load(std::memory_order_acquire)) {
    if (waiting.go_on()) continue;
    SnapshotRequest* ours = request;
    if (snapshot_request_.compare_exchange_strong(ours, nullptr)) return false;
    waiting.last();  // the evaluator has it in hand
  }
  return true;
}

void Unit::record(FiringRecord record, const Slot& slot) {
  const size_t most = run_.records_all() ? 1 << 16 : 1 << 12;
  for (int64_t* time : {&record.free, &record.in, &record.ready, &record.start, &record.end,
                        &record.held, &record.head, &record.room, &record.done}) {
    *time -= start_time_;
  }
  record.firing = slot.firing;
  record.enabler = slot.enabler;
  record.position = slot.position.load(std::memory_order_relaxed);
  record.epoch = slot.epoch;
  record.unit = static_cast<uint16_t>(index_);
  record.slot = slot.index;
  record.ready_edge = slot.ready_edge;
  record.full_edge = slot.full_edge;
  record.given = static_cast<uint16_t>(std::min<size_t>(slot.outputs.size(), UINT16_MAX));
  record.has_body = slot.has_body;
  record.is_epoch_end = slot.is_epoch_end;
  if (recorded_.size() < most) {
    recorded_.push_back(record);
    return;
  }
  recorded_[recorded_next_] = record;
  recorded_next_ = (recorded_next_ + 1) % most;
  ++recorded_lost_;
}

void Unit::serve_snapshot(Worker& worker) {
  SnapshotRequest* request = snapshot_request_.exchange(nullptr);
  if (request == nullptr) return;
  if (request->log != nullptr) {
    std::rotate(recorded_.begin(), recorded_.begin() + static_cast<std::ptrdiff_t>(recorded_next_),
                recorded_.end());
    auto& firings = request->log->firings;
    firings.insert(firings.end(), recorded_.begin(), recorded_.end());
    request->log->lost += std::exchange(recorded_lost_, 0);
    recorded_.clear();
    recorded_next_ = 0;
    if (Operator* of = figures_of_.load(std::memory_order_acquire)) {
      for (const CopyRecord& copy : of->take_copies()) {
        request->log->copies.push_back({static_cast<uint16_t>(index_), copy.begin_ns - start_time_,
                                        copy.end_ns - start_time_});
      }
    }
    request->served.store(true, std::memory_order_release);
    return;
  }
  // A fresh reading: later than every stamp this evaluator has written.
  worker.now = now_ns();
  const int64_t now = std::max(worker.now, t_old_);
  snapshot_states(now, request->unit);
  for (Edge* edge : in_) {
    (*request->edges)[static_cast<size_t>(edge->index)] = edge->snapshot(now);
  }
  request->served.store(true, std::memory_order_release);
}

void Unit::snapshot_states(int64_t now, UnitSnapshot* out) const {
  out->id = node_.id;
  out->now = now - start_time_;
  out->concurrency = slot_count();
  out->states = states_;
  out->states.starved.assign(starved_.begin(), starved_.end());
  out->states.blocked.assign(blocked_.begin(), blocked_.end());
  out->sampled = sampled_;
  out->service = service_;
  out->firings = firings_;
  out->epoch_ends = epoch_ends_;
  out->items_in = items_in_;
  out->items_out = items_out_;
  out->skipped = skipped_;
  out->filtered = filtered_;
  out->errors = errors_;
  out->clamps = clamps_;
  for (size_t i = 0; i < kMaxTallies; ++i) {
    out->tallies[i] = tallies_[i].load(std::memory_order_relaxed);
  }
  if (const Operator* of = figures_of_.load(std::memory_order_acquire)) {
    out->device = of->device_figures() - figures_before_;
  }
  if constexpr (!kClocks) return;
  for (const auto& slot : slots_) {
    const bool oldest = order_size_ > 0 && (begun_ != nullptr ? begun_ == slot.get()
                                                              : order_[order_head_] == slot->index);
    open_states(*slot, now, oldest, &out->states);
  }
}

void Unit::open_states(const Slot& slot, int64_t now, bool oldest, SlotStates* states) const {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const int64_t free = slot.t_free.load(kRelaxed);
  const Slot::State state = slot.state.load(std::memory_order_acquire);
  if (state == Slot::kFree) {
    const int64_t until = t_drained_ == 0 ? now : std::clamp(t_drained_, free, now);
    const int64_t since = std::clamp(blocked_since() == 0 ? until : blocked_since(), free, until);
    std::vector<char> lacking(states->starved.size(), 0);
    for (size_t i = 0; i < in_.size(); ++i) lacking[i] = in_[i]->content() == 0 ? 1 : 0;
    split(since - free, lacking, &states->starved);
    states->blocked_pool += until - since;
    states->drained += now - until;
    return;
  }
  const auto between = [now](int64_t stamp, int64_t low) { return std::clamp(stamp, low, now); };
  const int64_t in = between(slot.t_in.load(kRelaxed), free);
  const int64_t ready = between(slot.t_ready.load(kRelaxed), in);
  states->starved[slot.ready_edge] += in - free;
  states->blocked_pool += ready - in;
  const int64_t stamp_start = slot.t_start.load(kRelaxed);
  if (stamp_start == 0) {
    states->thread_wait += now - ready;
    return;
  }
  const int64_t begin = between(stamp_start, ready);
  states->thread_wait += begin - ready;
  if (state != Slot::kDone) {
    states->running += now - begin;
    return;
  }
  const int64_t end = between(slot.t_end.load(kRelaxed), begin);
  states->running += end - begin;
  if (!oldest) {
    states->order_held += now - end;
    return;
  }
  const int64_t head = slot.t_head == 0 ? now : between(slot.t_head, end);
  const int64_t held_until = std::min(std::max(t_old_, end), head);
  states->order_held += held_until - end;
  states->handover += head - held_until;
  if (!slot.waits_for_room) {
    states->handover += now - head;
    return;
  }
  std::vector<char> full(states->blocked.size(), 0);
  for (size_t i = 0; i < out_.size(); ++i) {
    full[i] = slot.cursors[i] < slot.outputs.size() ? 1 : 0;
  }
  split(now - head, full, &states->blocked);
}

}  // namespace penstock
