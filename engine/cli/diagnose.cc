#include <fmt/core.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include "cli/common.h"
#include "cli/console.h"
#include "cli/timed_run.h"
#include "cli/variants.h"
#include "diagnose/facts.h"
#include "diagnose/trial.h"
#include "report/diagnosis.h"

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock diagnose graphs/quickstart.yaml\n"
    "  penstock diagnose train.yaml --seconds 10 --format markdown > diagnosis.md";

constexpr double kInflated = 1.15;
constexpr double kWorthSaying = 0.02;  // of all CPU time

struct DiagnoseFlags {
  CommonOptions common;
  std::string file;
  double seconds = 2;
  std::string predictions;
};

Measured measured_of(const Report& report) {
  Measured measured;
  const bool steady = report.verdict && report.verdict->rate_error > 0;
  measured.examples_per_s = steady ? report.verdict->examples_per_s : report.examples_per_s;
  measured.error = steady ? report.verdict->rate_error : 0;
  measured.wait_ms = report.wait_ms.mean;
  measured.wait_p50_ms = report.wait_ms.p50;
  measured.wait_p95_ms = report.wait_ms.p95;
  measured.work_ms = report.work_ms.mean;
  measured.skipped = report.errors_skipped;
  return measured;
}

/// A pipeline's name as that of a file here: anything may stand in a name.
std::string file_name(std::string name) {
  for (char& c : name) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || c == '/' || c == '\\') c = '_';
  }
  return name.starts_with('.') ? "_" + name : name;
}

MachineFacts facts_of(const Report& report, int threads, bool serial) {
  return machine_facts(report.machine.affinity.size(), report.machine.quota, threads, serial);
}

/// One diagnosis: its runs one after another, each adding to what is known.
class Diagnostician {
 public:
  Diagnostician(const DiagnoseFlags& flags, Console& console, Interrupter& interrupter)
      : flags_(flags),
        console_(console),
        interrupter_(interrupter),
        pipeline_(Pipeline::load(flags.file, flags.common.load())),
        work_(pipeline_.plan().consumer()),
        reference_ms_(work_.reference_ms()) {
    diagnosis_.pipeline = pipeline_.plan().name();
  }

  const Plan& plan() const { return pipeline_.plan(); }

  /// As far as it comes: a failed run or a signal ends it.
  const Diagnosis& run() {
    try {
      if (!observe() || !experiment()) diagnosis_.status = "interrupted";
    } catch (const std::exception& error) {
      console_.finish();
      diagnosis_.error = failed(step_, error);
      diagnosis_.status = "failed";
    }
    return diagnosis_;
  }

 private:
  std::optional<Timed> timed(const Pipeline& pipeline, TimedRun how) {
    step_ = how.label;
    how.seconds = flags_.seconds;
    const Work work(pipeline.plan().consumer());
    return timed_run(pipeline, work, reference_ms_, how, console_, interrupter_);
  }

  bool observe() {
    std::optional<Timed> serial;
    if (!plan().spec().serial) {
      serial = timed(pipeline_, {.label = "serial run", .serial = true});
      if (!serial) return false;
      diagnosis_.serial = serial->report;
    }
    std::optional<Timed> steady =
        timed(pipeline_, {.label = "steady run", .serial = plan().spec().serial});
    if (!steady) return false;
    diagnosis_.steady = steady->report;
    const GraphFacts graph = penstock::facts_of(plan());
    const int threads = steady->log.marks.empty() ? 1 : steady->log.marks.back().threads;
    const MachineFacts machine = facts_of(steady->report, threads, plan().spec().serial);
    evidence_ = steady_evidence(graph, machine, steady->log, reference_ms_);
    if (serial) compare_with_serial(*serial, graph, machine);
    return true;
  }

  /// What the serial run's costs said of this one, and whose bodies cost more in it.
  void compare_with_serial(const Timed& serial, const GraphFacts& graph,
                           const MachineFacts& machine) {
    if (serial.end.consumer.batches <= serial.begin.consumer.batches) return;
    const Costs costs =
        costs_of(graph, facts_of(serial.report, 1, true), serial.begin, serial.end, reference_ms_);
    diagnosis_.predicted = predict(costs, with_setting(costs, graph, machine));
    if (!evidence_) return;
    for (const NodeCosts& node : evidence_->costs.nodes) {
      const NodeCosts* alone = costs.find(node.facts.id);
      if (alone == nullptr || alone->cpu_ms <= 0 || node.cpu_ms < kInflated * alone->cpu_ms ||
          node.cpu_per_batch() < kWorthSaying * evidence_->costs.cpu_per_batch()) {
        continue;
      }
      diagnosis_.inflated.push_back(fmt::format(
          "{} needs {:.1f} times the CPU that it needs alone (caches, memory, or CPUs that share a "
          "core).",
          node.facts.id, node.cpu_ms / alone->cpu_ms));
    }
  }

  bool experiment() {
    if (evidence_) plan_trials();
    write_predictions();
    for (TrialRecord& record : diagnosis_.trials) {
      if (!make(&record)) return false;
    }
    return true;
  }

  void plan_trials() {
    const Verdict& verdict = *diagnosis_.steady->verdict;
    for (const auto& trial :
         {headroom_trial(*evidence_, verdict), change_trial(*evidence_, verdict)}) {
      if (trial) diagnosis_.trials.push_back({*trial, {}, {}, {}});
    }
  }

  void write_predictions() {
    step_ = "predictions";
    const std::string path = flags_.predictions.empty()
                                 ? file_name(diagnosis_.pipeline) + ".predictions.json"
                                 : flags_.predictions;
    errno = 0;
    std::ofstream file(path);
    file << format_predictions(diagnosis_);
    file.close();
    if (file.fail()) {
      throw std::runtime_error(
          fmt::format("cannot write {}: {} (--predictions FILE names another place)", path,
                      std::strerror(errno)));
    }
    diagnosis_.predictions_file = path;
    console_.note("the predictions are in " + path);
  }

  static std::string label_of(const TrialRecord& record) {
    return "trial: " + (record.trial.set.empty() ? record.trial.what : record.trial.set);
  }

  /// Changed, changed, as it is: with the steady run before them, in an order that a slow drift of
  /// the machine does not favour.
  bool make(TrialRecord* record) {
    LoadOptions load = flags_.common.load();
    if (!record->trial.set.empty()) load.set.push_back(record->trial.set);
    step_ = label_of(*record);
    const Pipeline changed = Pipeline::load(flags_.file, load);
    TimedRun how{.label = label_of(*record),
                 .serial = plan().spec().serial,
                 .consumer_works = !record->trial.set.empty()};
    std::vector<Measured> after, before = {measured_of(*diagnosis_.steady)};
    for (int repeat = 0; repeat < 2; ++repeat) {
      const std::optional<Timed> run = timed(changed, how);
      if (!run) return false;
      after.push_back(measured_of(run->report));
    }
    const std::optional<Timed> again =
        timed(pipeline_, {.label = "as it is, again", .serial = plan().spec().serial});
    if (!again) return false;
    before.push_back(measured_of(again->report));
    record->before = combined(before);
    record->after = combined(after);
    record->result = interpret(record->trial, diagnosis_.steady->verdict->examples_per_s,
                               *record->before, *record->after);
    return true;
  }

  const DiagnoseFlags& flags_;
  Console& console_;
  Interrupter& interrupter_;
  Pipeline pipeline_;
  Work work_;
  std::optional<double> reference_ms_;
  std::optional<Evidence> evidence_;
  std::string step_;  ///< that goes on
  Diagnosis diagnosis_;
};

int diagnose_verb(const DiagnoseFlags& flags) {
  check_assignments(flags.common.set, {}, "--seconds sets the length of each run");
  SignalWatch signals;
  Console console(flags.common.level());
  Interrupter interrupter(signals, console);
  Diagnostician diagnostician(flags, console, interrupter);
  if (flags.common.level() != Verbosity::kQuiet) {
    print_diagnostics(diagnostician.plan().warnings(), flags.common.json());
  }
  const Diagnosis& diagnosis = diagnostician.run();
  console.finish();
  write_formatted(flags.common, diagnosis);
  if (diagnosis.status == "failed") return kFailed;
  return diagnosis.status == "interrupted" ? kInterrupted : kOk;
}

}  // namespace

void add_diagnose(Shell& shell) {
  const auto flags = std::make_shared<DiagnoseFlags>();
  CLI::App* verb = add_verb(shell, "diagnose",
                            "Say what limits a pipeline, and test it by one change", kExamples);
  add_file(verb, &flags->file);
  add_seconds(verb, &flags->seconds,
              "Length of each of its up to eight runs (default 2; longer if batches are few)");
  verb->add_option("--predictions", flags->predictions,
                   "Where the predictions go before they are tested (default "
                   "NAME.predictions.json)")
      ->type_name("FILE");
  add_set(verb, &flags->common);
  add_plugins(verb, &flags->common);
  add_format(verb, &flags->common, {"text", "json", "markdown"});
  add_verbosity(verb, &flags->common);
  on_chosen(shell, verb, flags, diagnose_verb);
}

}  // namespace penstock::cli
