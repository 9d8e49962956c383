#include "penstock/inspect.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common.h"
#include "cli/console.h"
#include "cli/exit_guard.h"
#include "cli/signals.h"
#include "plan/plan.h"
#include "report/empty_run.h"
#include "runtime/run.h"

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock inspect train.yaml\n"
    "  penstock inspect train.yaml --batches 3 --format json";

struct InspectFlags {
  CommonOptions common;
  std::string file;
  uint64_t batches = 1;
};

/// Takes what the run gives until it ends; what made it fail.
std::optional<RunError> look(Run& run, std::vector<BatchInspection>* seen) {
  try {
    for (;;) {
      const Next next = run.next();
      if (next.kind == Next::Kind::kEnd) return std::nullopt;
      if (next.kind == Next::Kind::kBatch) seen->push_back(inspect(next.batch));
    }
  } catch (const RunError& error) {
    return error;
  }
}

void write(const InspectFlags& flags, const std::vector<BatchInspection>& seen) {
  if (flags.common.json()) {
    write_result(format_json(seen));
    return;
  }
  std::string text;
  for (const BatchInspection& batch : seen) text += (text.empty() ? "" : "\n") + format_text(batch);
  write_result(text);
}

int inspect_verb(const InspectFlags& flags) {
  SignalWatch signals;
  Console console(flags.common.level());
  const Pipeline pipeline = Pipeline::load(flags.file, flags.common.load());
  if (flags.common.level() != Verbosity::kQuiet) {
    print_diagnostics(pipeline.plan().warnings(), flags.common.json());
  }
  StartOptions start;
  start.batches = flags.batches;
  start.on_warning = [&console](const std::string& message) { console.warn(message); };
  const ExitGuard guard;
  Run run = pipeline.start(start);
  std::atomic<bool> stopped{false};
  signals.on_stop([&] {
    stopped = true;
    run.stop();
  });
  std::vector<BatchInspection> seen;
  const std::optional<RunError> error = look(run, &seen);
  signals.on_stop(nullptr);
  console.finish();
  if (!seen.empty() || flags.common.json()) write(flags, seen);
  // The engine's own errors name no node: it may be that nothing arrived.
  const bool empty_epoch = error && seen.empty() && error->info().node.empty();
  if (error && !empty_epoch) throw RunError(*error);
  if (stopped) return kInterrupted;
  if (!seen.empty()) return kOk;
  const EmptyRun empty = explain_empty_run(pipeline.plan(), run.impl().snapshot());
  print_error("the run gave no batch: " + empty.reason, empty.help);
  return kFailed;
}

}  // namespace

void add_inspect(Shell& shell) {
  const auto flags = std::make_shared<InspectFlags>();
  CLI::App* verb =
      add_verb(shell, "inspect", "Show what a batch holds: types, memory, values", kExamples);
  add_file(verb, &flags->file);
  verb->add_option("--batches", flags->batches, "Look at so many batches, the first ones (1)")
      ->type_name("N")
      ->check(at_least(1));
  add_set(verb, &flags->common);
  add_plugins(verb, &flags->common);
  add_format(verb, &flags->common);
  add_verbosity(verb, &flags->common);
  on_chosen(shell, verb, flags, inspect_verb);
}

}  // namespace penstock::cli
