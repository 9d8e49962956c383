// Engine and Run: the public face of the runtime.

#include "runtime/run.h"

#include <algorithm>
#include <new>

#include "api/run_trace.h"
#include "penstock/pipeline.h"
#include "report/build.h"
#include "report/split.h"
#include "runtime/engine_impl.h"
#include "runtime/forked.h"

namespace penstock {
namespace {

/// The run, where its threads are there to go on with it: else each call would wait for ever.
RunImpl& alive(RunImpl& run) {
  if (!run.serial_run()) require_threads();
  return run;
}

}  // namespace

Engine::Engine(EngineOptions options)
    : impl_(std::make_shared<EngineImpl>(options.threads, options.memory_bytes)) {}
Engine::~Engine() {
  // In a fork nobody is there to be waited for: kept for good.
  if (threads_lost()) (void)new (std::nothrow) std::shared_ptr<EngineImpl>(std::move(impl_));
}

Run Pipeline::start(const StartOptions& options) const {
  RunOptions run;
  if (options.inline_run.value_or(false)) run.scheduling = Scheduling::kInline;
  if (options.engine != nullptr) run.engine = options.engine->impl();
  run.epochs = options.epochs;
  run.batches = options.batches;
  run.first_epoch = options.first_epoch;
  if (options.record_firings || !options.trace.empty()) run.recording = Recording::kAll;
  run.on_warning = options.on_warning;
  std::shared_ptr<RunTrace> trace;
  if (!options.trace.empty()) {
    trace = std::make_shared<RunTrace>(options.trace, *plan_, options.on_warning);
  }
  return Run(RunImpl::start(plan_, std::move(run)), std::move(trace));
}

Range::Range(RunImpl* run, const char* name)
    : run_(run), name_(name), begin_(run->begin_range(name)) {}
Range::~Range() { run_->end_range(name_, begin_); }

Run::Run(std::unique_ptr<RunImpl> impl, std::shared_ptr<RunTrace> trace)
    : impl_(std::move(impl)), trace_(std::move(trace)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&& other) noexcept {
  Run taken(std::move(other));
  impl_.swap(taken.impl_);
  trace_.swap(taken.trace_);
  return *this;
}
Run::~Run() {
  // In a fork nobody is there to be waited for.
  if (impl_ != nullptr && !impl_->serial_run() && threads_lost()) {
    (void)impl_.release();
  } else if (impl_ != nullptr && trace_ != nullptr) {
    impl_->stop();
    trace_->end(*impl_);
  }
}

// The trace grows with each batch and is complete with the end.
Next Run::traced(Next next) {
  if (trace_ != nullptr && next.kind == Next::Kind::kBatch) trace_->add(*impl_);
  if (trace_ != nullptr && next.kind == Next::Kind::kEnd) trace_->end(*impl_);
  return next;
}

Next Run::next() { return traced(alive(*impl_).next(std::nullopt)); }
Next Run::next(std::chrono::nanoseconds timeout) { return traced(alive(*impl_).next(timeout)); }
Next Run::next(const DeviceStream& stream) {
  return traced(alive(*impl_).next(std::nullopt, &stream));
}
Next Run::try_next() { return next(std::chrono::nanoseconds(0)); }
std::optional<uint64_t> Run::size() const { return impl_->plan().batches_per_epoch(0); }
void Run::set_epoch(uint32_t epoch) { alive(*impl_).set_epoch(epoch); }
void Run::hold(bool on) { alive(*impl_).hold(on); }
void Run::stop() { alive(*impl_).stop(); }
std::string Run::key(const Origin& origin) const { return impl_->key(origin); }

Report Run::report(std::optional<double> last_seconds) const {
  const RunImpl& run = alive(*impl_);
  Snapshot begin;
  if (last_seconds) begin = run.snapshot_before(*last_seconds);
  ReportContext context;
  context.status = run.status();
  context.epochs = run.epochs_begun();
  context.skipped = run.skipped();
  context.log = run.log();
  context.steady = is_steady(begin.now, deliveries_after(begin.now, context.log->batches));
  context.serial = run.serial_run();
  return build_report(run.plan(), begin, run.snapshot(), context);
}

}  // namespace penstock
