#include "cli/timed_run.h"

#include <algorithm>
#include <chrono>

#include "cli/progress.h"
#include "diagnose/steady.h"
#include "report/build.h"
#include "runtime/run.h"

namespace penstock::cli {
namespace {

constexpr double kLongestTimes = 10;  // the wanted time, while there are too few batches
constexpr uint64_t kWantedBatches = 2 * kLeastBatches;
constexpr uint64_t kEndless = 1'000'000'000;

/// Epochs without end, as many as time allows.
StartOptions start_options(const Plan& plan, const TimedRun& how, Console& console) {
  StartOptions start;
  start.batches = kEndless;
  if (plan.spec().epochs) start.epochs = uint32_t{1'000'000'000};
  if (how.serial) start.inline_run = true;
  start.on_warning = [&console](const std::string& message) { console.warn(message); };
  return start;
}

/// Takes batches until the time is over or somebody stops the run.
void take_batches(Run& run, const Work& work, const TimedRun& how,
                  const std::atomic<bool>& interrupted) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (uint64_t batches = 0;;) {
    const Next next = run.next();
    if (next.kind == Next::Kind::kEnd) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const bool enough = batches >= kWantedBatches || seconds >= kLongestTimes * how.seconds;
    if (seconds >= how.seconds && enough) return;
    if (next.kind != Next::Kind::kBatch) continue;
    if (how.consumer_works) work.step(interrupted);
    ++batches;
  }
}

/// The state from which the figures count: behind a fifth of the batches.
const Snapshot& behind_warmup(const RunLog& log) {
  const uint64_t skipped = log.marks.back().consumer.batches / 5;
  const auto found =
      std::find_if(log.marks.begin(), log.marks.end(),
                   [skipped](const Snapshot& mark) { return mark.consumer.batches >= skipped; });
  return *found;
}

}  // namespace

Interrupter::Interrupter(SignalWatch& signals, Console& console) : signals_(signals) {
  signals_.on_stop([this, &console] {
    interrupted_ = true;
    console.note("stopping; a second signal ends at once");
    const std::lock_guard lock(mutex_);
    if (run_ != nullptr) run_->stop();
  });
}

Interrupter::~Interrupter() { signals_.on_stop(nullptr); }

void Interrupter::watch(Run* run) {
  const std::lock_guard lock(mutex_);
  run_ = run;
  if (run_ != nullptr && interrupted_) run_->stop();
}

std::optional<Timed> timed_run(const Pipeline& pipeline, const Work& work,
                               std::optional<double> reference_ms, const TimedRun& how,
                               Console& console, Interrupter& interrupter) {
  if (interrupter.interrupted()) return std::nullopt;
  Run run = pipeline.start(start_options(pipeline.plan(), how, console));
  interrupter.watch(&run);
  try {
    const Progress progress(run, console, how.label + ": ");
    take_batches(run, work, how, interrupter.interrupted());
  } catch (...) {
    interrupter.watch(nullptr);
    throw;
  }
  interrupter.watch(nullptr);
  console.finish();
  if (interrupter.interrupted()) return std::nullopt;
  Timed timed;
  timed.log = run.impl().log();
  ReportContext context;
  context.epochs = run.impl().epochs_begun();
  context.skipped = run.impl().skipped();
  context.log = timed.log;
  context.serial = how.serial;
  if (how.consumer_works) context.work_reference_ms = reference_ms;
  context.spin_iterations = work.spin_iterations();
  if (timed.log.marks.empty()) {
    timed.report = build_report(pipeline.plan(), {}, run.impl().snapshot(), context);
  } else {
    const Snapshot& begin = behind_warmup(timed.log);
    context.warmup_batches = begin.consumer.batches;
    timed.report = build_report(pipeline.plan(), begin, timed.log.marks.back(), context);
  }
  run.stop();
  return timed;
}

}  // namespace penstock::cli
