// What a run keeps of its own course: snapshots of its clocks, marks, recorded firings.

#include <algorithm>
#include <utility>

#include "measure/machine.h"
#include "runtime/run_core.h"

namespace penstock {

Snapshot RunCore::snapshot() const { return *look(Unit::Patience::kEndless); }

std::optional<Snapshot> RunCore::look(Unit::Patience patience) const {
  auto* self = const_cast<RunCore*>(this);
  Snapshot s;
  s.units.resize(units_.size());
  s.edges.resize(edges_.size());
  bool complete = true;
  {
    self->enter();
    {
      Worker worker(&engine_->items());
      const WorkerScope scope(&worker);
      worker.run = self;
      for (size_t i = 0; i < units_.size() && complete; ++i) {
        complete = units_[i]->snapshot(worker, patience, &s.units[i], &s.edges);
      }
    }
    self->leave();
  }
  if (!complete) return std::nullopt;
  {
    std::lock_guard lock(edge_mutex_);
    s.edges[static_cast<size_t>(sink_edge_->index)] = sink_edge_->snapshot(now_ns());
  }
  const int64_t now = now_ns();
  s.now = now - start_;
  s.consumer = consumer_.snapshot(now);
  s.bytes_in_flight = account_->live();
  s.bytes_in_flight_max = account_->high_water();
  s.admissions = admissions_.load(std::memory_order_relaxed);
  s.process_cpu_ns = process_cpu_ns() - process_cpu_at_start_;
  s.threads = inline_ ? 1 : engine_->threads();
  for (const auto& unit : units_) {
    if (unit->node().where != Where::kCpu) continue;
    s.thread_run_ns += s.units[static_cast<size_t>(unit->index())].states.running;
  }
  s.thread_idle_ns = s.threads * s.now - s.thread_run_ns;
  return s;
}

Snapshot RunCore::end_step() {
  consumer_.end_step(now_ns());
  return snapshot();
}

int64_t RunCore::step_end() const { return consumer_.step_end(now_ns()) - start_; }

Snapshot RunCore::snapshot_before(double seconds) const {
  std::lock_guard lock(history_mutex_);
  if (history_.empty()) return {};
  const int64_t wanted = now_ns() - start_ - static_cast<int64_t>(seconds * 1e9);
  const Snapshot* best = &history_.front();
  for (const Snapshot& s : history_) {
    if (s.now <= wanted) best = &s;
  }
  return *best;
}

void RunCore::remember_snapshot() {
  constexpr int64_t kEvery = 500'000'000;
  constexpr size_t kKept = 64;
  const int64_t now = now_ns() - start_;
  if (now < next_history_) return;
  next_history_ = now + kEvery;
  std::optional<Snapshot> s = look(Unit::Patience::kShort);
  if (!s) return;
  std::lock_guard lock(history_mutex_);
  if (history_.size() == kKept) thin_older_half(&history_);
  history_.push_back(std::move(*s));
}

// Called when next() is entered: the work after so many batches is done.
void RunCore::remember_mark() {
  if (!kClocks || !marks_.due(consumer_.delivered(), now_ns() - start_)) return;
  std::optional<Snapshot> s = look(Unit::Patience::kShort);
  if (!s) return;
  s->cpus = cpu_times(cpus_);
  std::lock_guard lock(history_mutex_);
  marks_.add(std::move(*s));
}

// Called when next() is entered.
void RunCore::choose_recording() {
  constexpr uint64_t kBegin = 32, kEnd = 64, kEvery = 256;
  if (!kClocks || records_all()) return;
  const uint64_t at = consumer_.delivered() % kEvery;
  const bool wanted = at >= kBegin && at < kEnd;
  if (wanted == recording()) return;
  recording_.store(wanted, std::memory_order_relaxed);
  if (!wanted) collect_firings(Unit::Patience::kShort);
}

// Without a taker only the last of them are kept.
void RunCore::collect_firings(Unit::Patience patience) {
  constexpr size_t kMost = 1 << 16;
  FiringLog log;
  enter();
  {
    Worker worker(&engine_->items());
    const WorkerScope scope(&worker);
    worker.run = this;
    for (const auto& unit : units_) unit->take_firings(worker, patience, &log);
  }
  leave();
  std::lock_guard lock(history_mutex_);
  std::vector<FiringRecord>& kept = recorded_.firings;
  if (!records_all() && kept.size() + log.firings.size() > kMost) {
    kept.clear();
    const auto first = std::min_element(
        log.firings.begin(), log.firings.end(),
        [](const FiringRecord& a, const FiringRecord& b) { return a.done < b.done; });
    const int64_t since = first == log.firings.end() ? INT64_MAX : first->done;
    std::erase_if(recorded_.deliveries,
                  [since](const DeliveryRecord& delivery) { return delivery.arrived < since; });
  }
  kept.insert(kept.end(), log.firings.begin(), log.firings.end());
  if (records_all()) {
    recorded_.copies.insert(recorded_.copies.end(), log.copies.begin(), log.copies.end());
  }
  recorded_.lost += log.lost;
}

int64_t RunCore::begin_range(const char* name) {
  if (!device_memories_.empty()) device_memories_.front()->begin_range(name);
  return now_ns();
}

void RunCore::end_range(const char* name, int64_t begin) {
  if (!device_memories_.empty()) device_memories_.front()->end_range();
  if (!records_all()) return;
  std::lock_guard lock(history_mutex_);
  recorded_.ranges.push_back({name, begin - start_, now_ns() - start_});
}

FiringLog RunCore::take_firings() {
  collect_firings(Unit::Patience::kEndless);
  std::lock_guard lock(history_mutex_);
  return std::exchange(recorded_, {});
}

RunLog RunCore::log() const {
  if (recording()) const_cast<RunCore*>(this)->collect_firings(Unit::Patience::kEndless);
  RunLog log;
  log.batches = consumer_.batches();
  std::lock_guard lock(history_mutex_);
  log.marks = marks_.marks();
  log.firings = recorded_;
  return log;
}

}  // namespace penstock
