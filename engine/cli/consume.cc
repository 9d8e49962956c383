#include "cli/consume.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "penstock/spin.h"
#include "report/declared.h"
#include "report/digest.h"
#include "runtime/run.h"

namespace penstock::cli {
namespace {

constexpr uint64_t kMostWarmup = 8;
constexpr int64_t kReferenceNs = 100'000'000;  // time for the reference at most
constexpr int64_t kSleepSliceNs = 50'000'000;

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Keeps the states of the run that a window may begin or end with.
void keep_snapshot(Run& run, const ConsumeOptions& options, Consumed* consumed) {
  const uint64_t done = consumed->deliveries.size();
  if (options.warmup ? done == *options.warmup : done <= kMostWarmup) {
    consumed->early.resize(done);
    consumed->early.push_back(run.impl().end_step());
  }
  if (done == options.expected) consumed->end = run.impl().end_step();
}

void choose_window(Run& run, const ConsumeOptions& options, StopState& stop, Consumed* consumed) {
  const uint64_t done = consumed->deliveries.size();
  if (!consumed->end) {
    const std::lock_guard lock(stop.mutex);
    consumed->end = stop.last ? std::move(*stop.last) : run.impl().snapshot();
  }
  consumed->warmup = options.warmup.value_or(default_warmup(done));
  if (consumed->warmup >= done) consumed->warmup = options.warmup ? 0 : default_warmup(done);
  if (consumed->warmup > 0 && consumed->warmup < consumed->early.size()) {
    consumed->begin = std::move(consumed->early[consumed->warmup]);
  } else {
    consumed->warmup = 0;
  }
  consumed->early.clear();
}

/// Where a batch is not what the node that made it declares.
std::vector<std::string> untrue_fields(const Plan& plan, const Batch& batch) {
  std::vector<std::string> faults;
  const PlanEdge& edge = plan.edges()[static_cast<size_t>(plan.consumer_edge())];
  const PlanNode& last = plan.nodes()[static_cast<size_t>(edge.from)];
  add_untrue(last.fields, batch.item(), &faults);
  return faults;
}

}  // namespace

Work::Work(const ConsumerSpec& spec)
    : spin_iterations_(penstock::spin_iterations(spec.spin_ns)),
      spin_ns_(spec.spin_ns),
      sleep_ns_(spec.sleep_ns) {}

std::optional<uint64_t> Work::spin_iterations() const {
  if (spin_iterations_ == 0) return std::nullopt;
  return spin_iterations_;
}

void Work::step(const std::atomic<bool>& stopped) const {
  spin(spin_iterations_);
  for (int64_t left = sleep_ns_; left > 0 && !stopped.load(std::memory_order_relaxed);
       left -= kSleepSliceNs) {
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(left, kSleepSliceNs)));
  }
}

std::optional<double> Work::reference_ms() const {
  const int64_t step_ns = spin_ns_ + sleep_ns_;
  if (step_ns <= 0 || step_ns > kReferenceNs) return std::nullopt;
  const std::atomic<bool> never{false};
  std::vector<double> times;
  for (int64_t i = 0; i < std::clamp<int64_t>(kReferenceNs / step_ns, 1, 5); ++i) {
    const int64_t start = now_ns();
    step(never);
    times.push_back(static_cast<double>(now_ns() - start) / 1e6);
  }
  std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
  return times[times.size() / 2];
}

std::span<const Delivery> Consumed::window() const {
  return std::span(deliveries).subspan(std::min<size_t>(warmup, deliveries.size()));
}

Consumed consume(Run& run, const Work& work, const ConsumeOptions& options, StopState& stop) {
  Consumed consumed;
  std::optional<BatchDigest> digest;
  if (options.digest) digest.emplace();
  consumed.started_ns = now_ns();
  try {
    while (true) {
      const Next next = run.next();
      if (next.kind == Next::Kind::kEnd) break;
      if (next.kind != Next::Kind::kBatch) continue;
      if (consumed.deliveries.empty()) {
        consumed.untrue = untrue_fields(run.impl().plan(), next.batch);
        if (options.on_first) options.on_first();
      }
      if (digest) digest->add(next.batch);
      consumed.epochs = std::max(consumed.epochs, next.batch.epoch() + 1);
      work.step(stop.stopped);
      consumed.deliveries.push_back({now_ns(), next.batch.size()});
      if (options.on_batch) options.on_batch();
      keep_snapshot(run, options, &consumed);
    }
  } catch (const RunError& error) {
    consumed.error = error.info();
  }
  choose_window(run, options, stop, &consumed);
  if (digest) consumed.digest = digest->value();
  return consumed;
}

}  // namespace penstock::cli
