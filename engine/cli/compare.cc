#include <fmt/core.h>

#include <memory>

#include "cli/common.h"
#include "cli/console.h"
#include "cli/timed_run.h"
#include "cli/variants.h"
#include "compare/bad_request.h"
#include "compare/comparison.h"
#include "compare/vary.h"
#include "report/comparison_format.h"
#include "report/digest.h"

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock compare graphs/pairs/chain.yaml graphs/pairs/branches.yaml\n"
    "  penstock compare train.yaml --vary nodes.decode.concurrency=2,4 --fail-if 'ex/s < 0.95'";

constexpr double kLongestTimes = 2;        // of --seconds, while there are few batches
constexpr uint64_t kComparedBatches = 50;  // of which the outputs are compared

struct CompareFlags {
  CommonOptions common;
  std::string a, b;  ///< files; b is empty with --vary
  std::vector<std::string> vary, fail_if;
  double seconds = 3;
  std::optional<uint64_t> batches;
  uint64_t pairs = 5;
};

/// A and B as the command line names them.
std::vector<Variant> sides_of(const CompareFlags& flags) {
  std::vector<Variant> sides = {{flags.a, {}, {}}, {flags.b.empty() ? flags.a : flags.b, {}, {}}};
  for (const std::string& text : flags.vary) {
    const Vary vary = parse_vary(text);
    if (vary.values.size() > 2) {
      throw UsageError(
          fmt::format("--vary {} has {} values: A and B are two", vary.key, vary.values.size()),
          "penstock sweep takes any number");
    }
    if (vary.values.size() == 2) sides[0].varied.push_back(vary.key + "=" + vary.values[0]);
    sides[1].varied.push_back(vary.key + "=" + vary.values.back());
  }
  return sides;
}

std::string name_of(const Variant& side) {
  std::string name = side.file;
  for (const std::string& set : side.varied) name += " " + set;
  return name;
}

void check_usage(const CompareFlags& flags) {
  if (!flags.b.empty() && !flags.vary.empty()) {
    throw UsageError("two files or --vary, not both", "--set changes a value of both files");
  }
  if (flags.b.empty() && flags.vary.empty()) {
    throw UsageError("there is only one pipeline to compare",
                     "name a second file, or --vary KEY=A,B for two values of one");
  }
}

/// A serial run has one thread and one slot of each node, whatever else is said of them.
void check_varied(const Variant& side, const Plan& plan) {
  if (!plan.spec().serial) return;
  for (const std::string& set : side.varied) {
    const std::string key = set.substr(0, set.find('='));
    if (!is_setting(key)) continue;
    throw UsageError(fmt::format("--vary {} would change nothing: with 'workers: 0' one thread "
                                 "does everything in turn",
                                 key),
                     "leave 'workers: 0' out");
  }
}

class Comparer {
 public:
  Comparer(const CompareFlags& flags, const std::vector<Variant>& sides, Console& console,
           Interrupter& interrupter)
      : flags_(flags),
        console_(console),
        interrupter_(interrupter),
        pipelines_(load_all(sides, flags.common, console)) {
    for (size_t side = 0; side < 2; ++side) check_varied(sides[side], pipelines_[side].plan());
    result_.name_a = name_of(sides[0]);
    result_.name_b = name_of(sides[1]);
    result_.difference = diff(pipelines_[0].plan(), pipelines_[1].plan());
    for (size_t side = 0; side < 2; ++side) {
      works_.emplace_back(pipelines_[side].plan().consumer());
      references_.push_back(works_[side].reference_ms());
    }
  }

  /// As far as it comes: a failed run or a signal ends it.
  Comparison run() {
    try {
      if (!compare_batches() || !make_pairs()) result_.status = "interrupted";
    } catch (const std::exception& error) {
      result_.error = failed(side_name(current_), error);
      result_.status = "failed";
    }
    return std::move(result_);
  }

 private:
  std::string side_name(size_t side) const {
    return side == 0 ? "A, " + result_.name_a : "B, " + result_.name_b;
  }

  std::optional<Timed> timed(size_t side, TimedRun how) {
    current_ = side;
    how.seconds = flags_.seconds;
    how.longest_times = kLongestTimes;
    how.label += side == 0 ? ", A" : ", B";
    how.serial = pipelines_[side].plan().spec().serial;
    return timed_run(pipelines_[side], works_[side], references_[side], how, console_,
                     interrupter_);
  }

  /// One run of each, whose times do not count: they also warm up files and code.
  bool compare_batches() {
    std::vector<std::string> digests[2];
    for (size_t side = 0; side < 2; ++side) {
      BatchDigest digest;
      TimedRun how{.label = "outputs", .batches = flags_.batches, .consumer_works = false};
      if (!how.batches || *how.batches > kComparedBatches) how.batches = kComparedBatches;
      how.on_batch = [&](const Batch& batch) {
        digest.add(batch);
        digests[side].push_back(digest.value());
      };
      if (!timed(side, how)) return false;
    }
    result_.outputs = compare_outputs(digests[0], digests[1]);
    console_.detail("outputs compared");
    return true;
  }

  /// A B, B A, A B, ...: a drift of the machine favours neither.
  bool make_pairs() {
    for (uint64_t pair = 0; pair < flags_.pairs; ++pair) {
      std::optional<Timed> runs[2];
      for (size_t i = 0; i < 2; ++i) {
        const size_t side = pair % 2 == 0 ? i : 1 - i;
        runs[side] = timed(side, {.label = fmt::format("pair {} of {}", pair + 1, flags_.pairs),
                                  .batches = flags_.batches});
        if (!runs[side]) return false;
      }
      result_.a.push_back(std::move(runs[0]->report));
      result_.b.push_back(std::move(runs[1]->report));
    }
    return true;
  }

  const CompareFlags& flags_;
  Console& console_;
  Interrupter& interrupter_;
  std::vector<Pipeline> pipelines_;
  std::vector<Work> works_;
  std::vector<std::optional<double>> references_;
  size_t current_ = 0;  ///< side of the run that goes on
  Comparison result_;
};

int exit_code(const Comparison& comparison) {
  if (comparison.status == "interrupted") return kInterrupted;
  if (comparison.status == "failed") return kFailed;
  for (const ConditionResult& result : comparison.conditions) {
    if (result.failed) return kFailed;
  }
  return kOk;
}

int compare_verb(const CompareFlags& flags) {
  check_usage(flags);
  check_assignments(flags.common.set, flags.vary);
  std::vector<Condition> conditions;
  std::vector<Variant> sides;
  try {
    for (const std::string& text : flags.fail_if) {
      conditions.push_back(parse_condition(text, metric_names()));
    }
    sides = sides_of(flags);
  } catch (const BadRequest& bad) {
    throw UsageError(bad.what(), bad.help());
  }
  SignalWatch signals;
  Console console(flags.common.level());
  Interrupter interrupter(signals, console);
  Comparison comparison = Comparer(flags, sides, console, interrupter).run();
  console.finish();
  conclude(conditions, &comparison);
  write_formatted(flags.common, comparison);
  return exit_code(comparison);
}

}  // namespace

void add_compare(Shell& shell) {
  const auto flags = std::make_shared<CompareFlags>();
  CLI::App* verb =
      add_verb(shell, "compare", "Run two pipelines in turn and say what differs", kExamples);
  verb->add_option("A", flags->a, "The one pipeline, a YAML file")->required()->type_name("");
  verb->add_option("B", flags->b, "The other one; or --vary")->type_name("");
  verb->add_option(
          "--vary", flags->vary,
          "KEY=A,B: two values of a key; KEY=B: the file as it is, and with B (repeatable)")
      ->type_name("KEY=VALUES")
      ->allow_extra_args(false);
  verb->add_option("--pairs", flags->pairs, "Pairs of runs, A B B A ... (default 5)")
      ->type_name("N")
      ->check(at_least(1));
  add_run_length(verb, &flags->seconds, &flags->batches);
  verb->add_option("--fail-if", flags->fail_if,
                   "Exit with 1 if B / A of a metric is so, 'ex/s < 0.95' (repeatable)")
      ->type_name("CONDITION")
      ->allow_extra_args(false);
  add_set(verb, &flags->common);
  add_plugins(verb, &flags->common);
  add_format(verb, &flags->common, {"text", "json", "markdown"});
  add_verbosity(verb, &flags->common);
  on_chosen(shell, verb, flags, compare_verb);
}

}  // namespace penstock::cli
