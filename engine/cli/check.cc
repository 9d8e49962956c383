#include <fmt/core.h>

#include <memory>

#include "api/compose.h"
#include "cli/common.h"
#include "config/load.h"
#include "report/sample.h"

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock check train.yaml --resolved\n"
    "  penstock check train.yaml --sample 4 --set nodes.batch.params.batch_size=2";

struct CheckFlags {
  CommonOptions common;
  std::string file;
  bool resolved = false;
  uint64_t sample = 0;
};

std::string summary_of(const std::string& file, const Plan& plan) {
  const std::optional<uint64_t> batches = plan.batches_per_epoch(0);
  return fmt::format("{}: fine ({} nodes, {} edges, {}, plan {})\n", printable(file),
                     plan.nodes().size(), plan.edges().size(),
                     batches ? fmt::format("{} batches an epoch", *batches)
                             : "a number of batches that the data decide",
                     plan.fingerprint());
}

/// As YAML, with absolute paths: the registry knows which parameters are paths.
std::string resolved(const Composed& composed) {
  return resolved_yaml(*composed.spec, [&](const std::string& op, const std::string& name) {
    const Registry::Entry* entry = composed.registry.find(op);
    const Param* param = entry == nullptr ? nullptr : entry->def.schema.find(name);
    return param != nullptr && param->type == ParamType::kPath;
  });
}

int sample(const CheckFlags& flags, const Plan& plan) {
  const std::vector<NodeSample> samples = sample_plan(plan, flags.sample);
  write_result(flags.common.json() ? format_json(samples) : format_text(samples));
  for (const NodeSample& node : samples) {
    for (const ErrorInfo& error : node.errors) print_error(error.describe());
    for (const std::string& text : node.untrue) {
      print_error(fmt::format("node {}: {}: its operator does not make what its infer() says",
                              node.id, text));
    }
  }
  return has_errors(samples) ? kFailed : kOk;
}

int check_verb(const CheckFlags& flags) {
  if (flags.resolved && flags.common.json()) {
    throw UsageError("--resolved prints the pipeline as YAML: it has no --format json",
                     "leave one of the two out");
  }
  const Composed composed = compose_file(flags.file, flags.common.load());
  const bool bad = composed.plan == nullptr;
  if (flags.common.json() && (bad || flags.sample == 0)) {
    write_result(format_json(composed.diagnostics));
  } else if (bad || flags.common.level() != Verbosity::kQuiet) {
    print_diagnostics(composed.diagnostics, false);
  }
  if (bad) return kBadPipeline;
  if (flags.resolved) write_result(resolved(composed));
  if (flags.sample > 0) return sample(flags, *composed.plan);
  if (!flags.resolved && !flags.common.json()) {
    write_result(summary_of(flags.file, *composed.plan));
  }
  return kOk;
}

}  // namespace

void add_check(Shell& shell) {
  const auto flags = std::make_shared<CheckFlags>();
  CLI::App* verb =
      add_verb(shell, "check", "Find every mistake in a pipeline without running it", kExamples);
  add_file(verb, &flags->file);
  verb->add_flag("--resolved", flags->resolved,
                 "Print the pipeline after include, environment and --set");
  verb->add_option("--sample", flags->sample,
                   "Run so many samples and print the shape of every field after every node")
      ->type_name("N")
      ->check(at_least(1));
  add_set(verb, &flags->common);
  add_plugins(verb, &flags->common);
  add_format(verb, &flags->common);
  add_verbosity(verb, &flags->common);
  on_chosen(shell, verb, flags, check_verb);
}

}  // namespace penstock::cli
