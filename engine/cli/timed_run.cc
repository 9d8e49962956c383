#include "cli/timed_run.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/exit_guard.h"
#include "cli/progress.h"
#include "diagnose/steady.h"
#include "report/build.h"
#include "report/empty_run.h"
#include "report/failure.h"
#include "report/split.h"
#include "runtime/run.h"

namespace penstock::cli {
namespace {

constexpr uint64_t kWantedBatches = 2 * kLeastBatches;
constexpr uint64_t kEndless = 1'000'000'000;

/// Epochs without end, as many as time allows.
StartOptions start_options(const Plan& plan, const TimedRun& how, Console& console) {
  StartOptions start;
  start.batches = how.batches.value_or(kEndless);
  if (plan.spec().epochs) start.epochs = uint32_t{1'000'000'000};
  if (how.serial) start.inline_run = true;
  start.on_warning = [&console](const std::string& message) { console.warn(message); };
  return start;
}

/// The ends of a window that is counted in batches.
struct CountedWindow {
  std::optional<Snapshot> begin, end;
};

/// Takes batches until the time is over, all are there, or somebody stops the run.
CountedWindow take_batches(Run& run, const Work& work, const TimedRun& how,
                           const std::atomic<bool>& interrupted) {
  using Clock = std::chrono::steady_clock;
  const uint64_t warmup = how.batches ? default_warmup(*how.batches) : 0;
  CountedWindow window;
  const auto begin = Clock::now();
  bool epoch_is_empty = true;
  for (uint64_t batches = 0;;) {
    const Next next = run.next();
    if (next.kind == Next::Kind::kEnd) return window;
    if (next.kind == Next::Kind::kEpochEnd && std::exchange(epoch_is_empty, true)) {
      throw RunError(ErrorInfo{.message = "an epoch gave no batch"});  // nor will any other one
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    const bool enough = batches >= kWantedBatches || seconds >= how.longest_times * how.seconds;
    if (!how.batches && seconds >= how.seconds && enough) return window;
    if (next.kind != Next::Kind::kBatch) continue;
    epoch_is_empty = false;
    if (how.on_batch) how.on_batch(next.batch);
    if (how.consumer_works) work.step(interrupted);
    ++batches;
    if (how.batches && batches == warmup) window.begin = run.impl().end_step();
    if (how.batches && batches == *how.batches) {
      window.end = run.impl().end_step();
      return window;
    }
  }
}

/// Says why nothing came where the engine only knows that nothing came.
[[noreturn]] void fail(const RunError& error, const Plan& plan, const Snapshot& end) {
  ErrorInfo info = error.info();
  if (info.node.empty() && end.consumer.batches == 0) {
    const EmptyRun empty = explain_empty_run(plan, end);
    info.message += ": " + empty.reason;
    if (!empty.help.empty()) info.message += " (" + empty.help + ")";
  }
  throw RunError(std::move(info));
}

/// The state from which the figures count: behind a fifth of the batches that `end` has, or the
/// last one before them where they come all at once.
const Snapshot& behind_warmup(const RunLog& log, const Snapshot& end) {
  const uint64_t skipped = end.consumer.batches / 5;
  auto found = std::find_if(log.marks.begin(), log.marks.end(), [skipped](const Snapshot& mark) {
    return mark.consumer.batches >= skipped;
  });
  if (found == log.marks.end()) --found;
  while (found != log.marks.begin() && found->consumer.batches == end.consumer.batches) --found;
  return *found;
}

/// The last mark, or the state now where many batches have come since.
Snapshot last_state(const RunLog& log, const Snapshot& now) {
  const Snapshot& mark = log.marks.back();
  return 5 * now.consumer.batches > 6 * mark.consumer.batches + 5 ? now : mark;
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

FailureReport failed(const std::string& label, const std::exception& error) {
  FailureReport failure = failure_of(error);
  failure.text = label + ": " + failure.text;
  print_error(failure.text);
  return failure;
}

std::optional<Timed> timed_run(const Pipeline& pipeline, const Work& work,
                               std::optional<double> reference_ms, const TimedRun& how,
                               Console& console, Interrupter& interrupter) {
  if (interrupter.interrupted()) return std::nullopt;
  const ExitGuard guard;
  Run run = pipeline.start(start_options(pipeline.plan(), how, console));
  interrupter.watch(&run);
  CountedWindow window;
  try {
    const Progress progress(run, console, how.label + ": ");
    window = take_batches(run, work, how, interrupter.interrupted());
  } catch (const RunError& error) {
    interrupter.watch(nullptr);
    console.finish();
    fail(error, pipeline.plan(), run.impl().snapshot());
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
  context.serial = run.impl().serial_run();
  if (how.consumer_works) context.work_reference_ms = reference_ms;
  context.spin_iterations = work.spin_iterations();
  if (how.batches || timed.log.marks.size() < 2) {
    timed.begin = window.begin ? *window.begin : Snapshot();
    timed.end = window.end ? *window.end : run.impl().snapshot();
  } else {
    timed.end = last_state(timed.log, run.impl().snapshot());
    timed.begin = behind_warmup(timed.log, timed.end);
  }
  context.warmup_batches = timed.begin.consumer.batches;
  timed.report = build_report(pipeline.plan(), timed.begin, timed.end, context);
  run.stop();
  return timed;
}

}  // namespace penstock::cli
