#include "runtime/run.h"

#include <fmt/core.h>

#include <memory>

#include "api/run_trace.h"
#include "cli/common.h"
#include "cli/console.h"
#include "cli/consume.h"
#include "cli/exit_guard.h"
#include "cli/limits.h"
#include "cli/progress.h"
#include "cli/signals.h"
#include "report/build.h"
#include "report/empty_run.h"

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock run graphs/quickstart.yaml --batches 50\n"
    "  penstock run train.yaml --set nodes.decode.concurrency=4 --format json > report.json";

struct RunFlags {
  CommonOptions common;
  std::string file;
  std::optional<uint64_t> batches, warmup;
  std::optional<uint32_t> epochs;
  std::optional<int64_t> workers;
  std::optional<uint64_t> threads;
  bool digest = false;
  std::string trace;
};

constexpr uint64_t kMostCounted = 10'000;  // epochs: each is counted by itself

/// Batches until the run ends, where that can be known before.
std::optional<uint64_t> expected_batches(const Plan& plan, const StartOptions& start) {
  const std::optional<uint64_t> batches = start.batches ? start.batches : plan.spec().batches;
  std::optional<uint64_t> epochs = plan.spec().epochs;
  if (start.epochs) epochs = *start.epochs;
  if (!epochs && batches) return batches;
  uint64_t total = 0;
  for (uint32_t epoch = 0; epoch < epochs.value_or(1); ++epoch) {
    if (epoch == kMostCounted) return std::nullopt;
    const std::optional<uint64_t> of_epoch = plan.batches_per_epoch(epoch);
    if (!of_epoch) return std::nullopt;
    total += *of_epoch;
    if (batches && total >= *batches) return batches;
  }
  return total;
}

/// What `--workers 0` leaves aside of a file that was written for threads.
void note_ignored(const Plan& plan, Console& console) {
  uint64_t slots = 0, queues = plan.consumer().queue.items.has_value();
  for (const PlanNode& node : plan.nodes()) slots += node.concurrency > 1;
  for (const NodeSpec& node : plan.spec().nodes) {
    queues += node.queue.items.has_value() || node.queue.bytes.has_value();
  }
  if (slots + queues == 0) return;
  console.note(fmt::format(
      "--workers 0: all work happens inside the consumer's own call; the file's concurrency (of {} "
      "nodes) and queues (of {} edges) are ignored",
      slots, queues));
}

std::vector<std::string> notes_of(const RunFlags& flags, const Consumed& consumed, bool steady) {
  std::vector<std::string> notes;
  const size_t batches = consumed.window().size();
  if (flags.warmup && *flags.warmup != consumed.warmup) {
    notes.push_back(fmt::format("a warm-up of {} leaves none of {} batches: the start is included",
                                *flags.warmup, consumed.deliveries.size()));
  }
  if (batches < 20) {
    notes.push_back(
        fmt::format("{} too few to tell whether the rate is steady (20 or more)",
                    batches == 1 ? "1 batch is" : fmt::format("{} batches are", batches)));
  } else if (!steady) {
    notes.push_back("the rate differs by more than 5 % between the halves of the window");
  }
  for (const std::string& text : consumed.untrue) {
    notes.push_back(fmt::format("in the first batch {} ('penstock check {} --sample 1' says where)",
                                text, printable(flags.file)));
  }
  if (flags.digest) notes.push_back("work includes computing the digest");
  return notes;
}

Report report_of(const RunFlags& flags, const Plan& plan, Run& run, Consumed* consumed,
                 const Work& work, std::optional<double> reference) {
  ReportContext context;
  context.status = consumed->error ? "failed" : run.impl().status();
  context.epochs = consumed->epochs;
  context.warmup_batches = consumed->warmup;
  const std::span<const Delivery> window = consumed->window();
  const int64_t begin_ns = consumed->warmup > 0 ? consumed->deliveries[consumed->warmup - 1].done_ns
                                                : consumed->started_ns;
  context.steady = is_steady(begin_ns, window);
  context.notes = notes_of(flags, *consumed, context.steady);
  context.work_reference_ms = reference;
  context.spin_iterations = work.spin_iterations();
  context.digest = consumed->digest;
  context.skipped = run.impl().skipped();
  context.error = consumed->error;
  context.log = run.impl().log();
  context.serial = run.impl().serial_run();
  return build_report(plan, consumed->begin, *consumed->end, context);
}

/// Prints what there is to say; the exit code.
int conclude(const RunFlags& flags, const Plan& plan, const Consumed& consumed, bool stopped,
             Report report) {
  int code = stopped ? kInterrupted : kOk;
  if (consumed.error) {
    // The engine's own errors name no node: it may be that nothing arrived.
    const bool empty = consumed.deliveries.empty() && consumed.error->node.empty();
    print_error(report.error->text, empty ? explain_empty_run(plan, *consumed.end).reason : "");
    code = kFailed;
  } else if (consumed.deliveries.empty() && !stopped) {
    const EmptyRun empty = explain_empty_run(plan, *consumed.end);
    const std::string text = "the run gave no batch: " + empty.reason;
    print_error(text, empty.help);
    report.status = "failed";
    report.error = FailureReport{"", "", "", text, text};
    code = kFailed;
  }
  if (flags.common.json()) {
    write_result(format_json(report));
  } else if (code != kFailed) {
    write_result(format_text(report));
  }
  return code;
}

StartOptions start_options(const RunFlags& flags, Console& console) {
  StartOptions start;
  start.batches = flags.batches;
  start.epochs = flags.epochs;
  if (flags.workers) start.inline_run = true;
  start.record_firings = !flags.trace.empty();
  start.on_warning = [&console](const std::string& message) { console.warn(message); };
  return start;
}

void end_trace(RunTrace& trace, Run& run, const std::string& file, Console& console) {
  trace.end(run.impl());
  if (!trace.error().empty()) return;
  console.note("the trace is in " + file + "; ui.perfetto.dev opens it");
  if (const std::string lost = trace.lost_text(); !lost.empty()) console.warn(lost);
}

int run_verb(RunFlags flags) {
  if (flags.workers.value_or(0) != 0) {
    throw UsageError(fmt::format("--workers takes only 0 (got {})", *flags.workers),
                     "--threads sets the CPU threads, nodes.ID.concurrency the slots of a node");
  }
  if (flags.threads) flags.common.set.push_back(fmt::format("threads={}", *flags.threads));
  SignalWatch signals;
  Console console(flags.common.level());
  const Pipeline pipeline = Pipeline::load(flags.file, flags.common.load());
  const Plan& plan = pipeline.plan();
  if (flags.common.level() != Verbosity::kQuiet) {
    print_diagnostics(plan.warnings(), flags.common.json());
  }
  for (const std::string& warning : limit_warnings(plan, system_limits())) console.warn(warning);
  if (flags.workers) note_ignored(plan, console);

  const Work work(plan.consumer());
  const std::optional<double> reference = work.reference_ms();
  const StartOptions start = start_options(flags, console);
  std::optional<RunTrace> trace;
  if (!flags.trace.empty()) trace.emplace(flags.trace, plan);
  StopState stop;
  const ExitGuard guard;
  Run run = pipeline.start(start);
  signals.on_stop([&] {
    {
      const std::lock_guard lock(stop.mutex);
      stop.last = run.impl().snapshot();
    }
    stop.stopped = true;
    console.note("stopping; a second signal ends at once");
    run.stop();
  });
  Consumed consumed;
  {
    const Progress progress(run, console);
    consumed = consume(run, work,
                       {.warmup = flags.warmup,
                        .expected = expected_batches(plan, start),
                        .digest = flags.digest,
                        .on_first = [&] { console.detail("the first batch is there"); },
                        .on_batch =
                            [&] {
                              if (trace) trace->add(run.impl());
                            }},
                       stop);
  }
  signals.on_stop(nullptr);
  if (trace) end_trace(*trace, run, flags.trace, console);
  console.finish();
  Report report = report_of(flags, plan, run, &consumed, work, reference);
  const bool stopped = stop.stopped && !consumed.error;
  if (stopped) report.status = "stopped";
  const int code = conclude(flags, plan, consumed, stopped, std::move(report));
  if (!trace || trace->error().empty()) return code;
  print_error(trace->error());
  return kFailed;
}

}  // namespace

void add_run(Shell& shell) {
  const auto flags = std::make_shared<RunFlags>();
  CLI::App* verb =
      add_verb(shell, "run", "Run a pipeline and report where its time goes", kExamples);
  add_file(verb, &flags->file);
  verb->add_option("--batches", flags->batches, "Stop after so many batches")
      ->type_name("N")
      ->check(at_least(1));
  verb->add_option("--epochs", flags->epochs, "Stop after so many epochs")
      ->type_name("N")
      ->check(at_least(1, UINT32_MAX));
  verb->add_option("--warmup", flags->warmup,
                   "Leave the first batches out of the figures (default: 8, at most a quarter)")
      ->type_name("N")
      ->check(at_least(0));
  verb->add_option("--threads", flags->threads, "CPU threads (default: what the file says)")
      ->type_name("N")
      ->check(at_least(1));
  verb->add_option("--workers", flags->workers, "0: all work inside the consumer's own call")
      ->type_name("0");
  verb->add_flag("--digest", flags->digest, "Print one number over all batches (XXH3)");
  verb->add_option("--trace", flags->trace,
                   "Write every firing to FILE as trace events, for ui.perfetto.dev and the like")
      ->type_name("FILE");
  add_set(verb, &flags->common);
  add_plugins(verb, &flags->common);
  add_format(verb, &flags->common);
  add_verbosity(verb, &flags->common);
  on_chosen(shell, verb, flags, run_verb);
}

}  // namespace penstock::cli
