#include "compare/sweep.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "cli/common.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/timed_run.h"
#include "cli/variants.h"
#include "compare/bad_request.h"
#include "diagnose/facts.h"
#include "measure/machine.h"
#include "report/sweep_format.h"

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock sweep train.yaml --vary nodes.decode.concurrency=1,2,4,8\n"
    "  penstock sweep train.yaml --vary nodes.decode.concurrency=1..16:*2 --vary threads=1..4 "
    "--plot sweep.svg";

constexpr double kLongestTimes = 2;  // of --seconds, while there are few batches

struct SweepFlags {
  CommonOptions common;
  std::string file, plot;
  std::vector<std::string> vary;
  double seconds = 3;
  std::optional<uint64_t> batches;
};

Sweep planned(const SweepFlags& flags) {
  check_assignments(flags.common.set, flags.vary);
  Sweep sweep;
  sweep.seconds = flags.seconds;
  sweep.batches = flags.batches;
  try {
    for (const std::string& text : flags.vary) sweep.keys.push_back(parse_vary(text));
    for (SweepRow& row : sweep_rows(sweep.keys)) {
      sweep.runs.push_back({std::move(row), std::nullopt, std::nullopt});
    }
  } catch (const BadRequest& bad) {
    throw UsageError(bad.what(), bad.help());
  }
  return sweep;
}

std::vector<Variant> variants_of(const SweepFlags& flags, const Sweep& sweep) {
  std::vector<Variant> variants;
  for (const SweepRun& run : sweep.runs) {
    variants.push_back({flags.file, {}, run.row.sets(sweep.keys)});
  }
  return variants;
}

std::string label_of(const Sweep& sweep, size_t index) {
  std::string label = fmt::format("run {} of {}", index + 1, sweep.runs.size());
  const SweepRow& row = sweep.runs[index].row;
  if (row.serial) label += ", serial";
  for (const std::string& set : row.sets(sweep.keys)) label += ", " + set;
  return label;
}

/// The runs of a sweep, each serial one giving the predictions for those up to the next.
class Sweeper {
 public:
  Sweeper(const SweepFlags& flags, Console& console, Interrupter& interrupter)
      : flags_(flags),
        console_(console),
        interrupter_(interrupter),
        sweep_(planned(flags)),
        pipelines_(load_all(variants_of(flags, sweep_), flags.common, console)) {
    sweep_.pipeline = pipelines_.front().plan().name();
    for (const Pipeline& pipeline : pipelines_) {
      if (!pipeline.plan().spec().serial) continue;
      throw UsageError("with 'workers: 0' every run of a sweep would be the serial run",
                       "leave it out: a sweep makes a serial run of its own");
    }
  }

  /// As far as it comes: a failed run or a signal ends it.
  const Sweep& run() {
    for (size_t i = 0; i < sweep_.runs.size(); ++i) {
      try {
        if (!run_one(i)) {
          sweep_.status = "interrupted";
          break;
        }
      } catch (const std::exception& error) {
        sweep_.error = failed(label_of(sweep_, i), error);
        sweep_.status = "failed";
        break;
      }
    }
    return sweep_;
  }

 private:
  bool run_one(size_t index) {
    const Pipeline& pipeline = pipelines_[index];
    SweepRun& run = sweep_.runs[index];
    const Work work(pipeline.plan().consumer());
    if (run.row.serial) reference_ms_ = work.reference_ms();
    const TimedRun how{.label = label_of(sweep_, index),
                       .seconds = flags_.seconds,
                       .longest_times = kLongestTimes,
                       .batches = flags_.batches,
                       .serial = run.row.serial};
    std::optional<Timed> timed =
        timed_run(pipeline, work, reference_ms_, how, console_, interrupter_);
    if (!timed) return false;
    if (run.row.serial) predict_from(*timed, index);
    run.report = std::move(timed->report);
    return true;
  }

  /// Before the runs that it speaks of.
  void predict_from(const Timed& serial, size_t index) {
    if (serial.end.consumer.batches <= serial.begin.consumer.batches) return;
    const MachineReport& machine = serial.report.machine;
    const size_t cpus = machine.affinity.size();
    const Costs costs =
        costs_of(facts_of(pipelines_[index].plan()), machine_facts(cpus, machine.quota, 1, true),
                 serial.begin, serial.end, reference_ms_);
    for (size_t i = index + 1; i < sweep_.runs.size() && !sweep_.runs[i].row.serial; ++i) {
      SweepRun& run = sweep_.runs[i];
      run.predicted =
          predict_setting(costs, pipelines_[i].plan(), {cpus, machine.quota, usable_cpus()});
      console_.detail(fmt::format("{}: predicted {:.1f} ex/s", label_of(sweep_, i),
                                  run.predicted->examples_per_s));
    }
  }

  const SweepFlags& flags_;
  Console& console_;
  Interrupter& interrupter_;
  Sweep sweep_;
  std::vector<Pipeline> pipelines_;
  std::optional<double> reference_ms_;  ///< of the step, by the last serial run
};

/// Draws where it can; a sweep is worth its time without a picture too. False: there is a picture,
/// and the file cannot be written.
bool plot(const SweepFlags& flags, const Sweep& sweep, Console& console) {
  const std::string script = gnuplot_of(sweep);
  if (script.empty()) {
    console.warn("no plot: it needs a setting that varies over two numbers or more");
    return true;
  }
  std::string picture;
  const Outcome outcome = feed({"gnuplot"}, script, &picture);
  if (outcome != Outcome::kDone) {
    console.warn(outcome == Outcome::kMissing
                     ? "no plot: gnuplot is missing (apt-get install gnuplot-nox)"
                     : "no plot: gnuplot failed");
    return true;
  }
  errno = 0;
  std::ofstream file(flags.plot, std::ios::binary);
  file << picture << std::flush;
  if (file) return true;
  print_error("cannot write the plot '" + flags.plot + "': " + std::strerror(errno));
  return false;
}

int sweep_verb(const SweepFlags& flags) {
  SignalWatch signals;
  Console console(flags.common.level());
  Interrupter interrupter(signals, console);
  Sweeper sweeper(flags, console, interrupter);
  const Sweep& sweep = sweeper.run();
  console.finish();
  write_formatted(flags.common, sweep);
  const bool drawn = flags.plot.empty() || plot(flags, sweep, console);
  if (sweep.status == "interrupted") return kInterrupted;
  return sweep.status == "failed" || !drawn ? kFailed : kOk;
}

}  // namespace

void add_sweep(Shell& shell) {
  const auto flags = std::make_shared<SweepFlags>();
  CLI::App* verb =
      add_verb(shell, "sweep", "Run a pipeline with several values of its settings, side by side",
               kExamples);
  add_file(verb, &flags->file);
  verb->add_option(
          "--vary", flags->vary,
          "A --set with several values: 1,2,4 or 1..8 or 1..16:*2 or 10..50:10 (repeatable)")
      ->type_name("KEY=VALUES")
      ->required()
      ->allow_extra_args(false);
  add_run_length(verb, &flags->seconds, &flags->batches);
  verb->add_option("--plot", flags->plot, "Draw the rates as SVG (by gnuplot)")->type_name("FILE");
  add_set(verb, &flags->common);
  add_plugins(verb, &flags->common);
  add_format(verb, &flags->common, {"text", "json", "markdown"});
  add_verbosity(verb, &flags->common);
  on_chosen(shell, verb, flags, sweep_verb);
}

}  // namespace penstock::cli
