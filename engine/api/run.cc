// Engine and Run: the public face of the runtime.

#include "runtime/run.h"

#include <algorithm>

#include "penstock/pipeline.h"
#include "report/build.h"
#include "runtime/engine_impl.h"

namespace penstock {

Engine::Engine(EngineOptions options)
    : impl_(std::make_unique<EngineImpl>(options.threads, options.memory_bytes)) {}
Engine::~Engine() = default;

Run Pipeline::start(const StartOptions& options) const {
  RunOptions run;
  if (options.inline_run.value_or(false)) run.scheduling = Scheduling::kInline;
  run.engine = options.engine != nullptr ? &options.engine->impl() : nullptr;
  run.epochs = options.epochs;
  run.batches = options.batches;
  run.first_epoch = options.first_epoch;
  if (options.record_firings) run.recording = Recording::kAll;
  run.on_warning = options.on_warning;
  return Run(RunImpl::start(plan_, std::move(run)));
}

Run::Run(std::unique_ptr<RunImpl> impl) : impl_(std::move(impl)) {}
Run::Run(Run&&) noexcept = default;
Run& Run::operator=(Run&&) noexcept = default;
Run::~Run() = default;

Next Run::next() { return impl_->next(std::nullopt); }
Next Run::next(std::chrono::nanoseconds timeout) { return impl_->next(timeout); }
Next Run::try_next() { return impl_->next(std::chrono::nanoseconds(0)); }
std::optional<uint64_t> Run::size() const { return impl_->plan().batches_per_epoch(0); }
void Run::set_epoch(uint32_t epoch) { impl_->set_epoch(epoch); }
void Run::hold(bool on) { impl_->hold(on); }
void Run::stop() { impl_->stop(); }
std::string Run::key(const Origin& origin) const { return impl_->key(origin); }

Report Run::report(std::optional<double> last_seconds) const {
  Snapshot begin;
  if (last_seconds) begin = impl_->snapshot_before(*last_seconds);
  ReportContext context;
  context.status = impl_->status();
  context.epochs = impl_->epochs_begun();
  context.skipped = impl_->skipped();
  context.log = impl_->log();
  context.serial = impl_->serial_run();
  return build_report(impl_->plan(), begin, impl_->snapshot(), context);
}

}  // namespace penstock
