#include <fmt/core.h>

#include <memory>

#include "cli/common.h"
#include "plugin/loader.h"
#include "report/schema_text.h"

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock describe random_resized_crop\n"
    "  penstock describe my_operator --plugin ./libmy_operators.so --format json";

int describe_verb(const CommonOptions& options, const std::string& op) {
  std::vector<Diagnostic> diagnostics;
  const Registry registry = load_default_registry(options.plugins, &diagnostics);
  print_diagnostics(diagnostics, options.json());
  if (has_errors(diagnostics)) return kBadPipeline;
  const Registry::Entry* entry = registry.find(op);
  if (entry == nullptr) {
    const std::string near = did_you_mean(op, registry.names());
    throw UsageError(
        fmt::format("there is no operator '{}'", op),
        near.empty() ? "penstock list shows all of them" : fmt::format("did you mean '{}'?", near));
  }
  write_result(options.json() ? format_operator_json(*entry) : format_operator_text(*entry));
  return kOk;
}

}  // namespace

void add_describe(Shell& shell) {
  const auto options = std::make_shared<CommonOptions>();
  const auto op = std::make_shared<std::string>();
  CLI::App* verb =
      add_verb(shell, "describe", "Tell all about one operator: parameters, fields", kExamples);
  verb->add_option("OP", *op, "Name of the operator")->required()->type_name("");
  add_plugins(verb, options.get());
  add_format(verb, options.get());
  verb->callback([&shell, options, op] {
    shell.action = [options, op] { return describe_verb(*options, *op); };
  });
}

}  // namespace penstock::cli
