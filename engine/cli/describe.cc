#include <fmt/core.h>

#include <memory>

#include "cli/common.h"
#include "plugin/loader.h"
#include "report/schema_doc.h"
#include "report/schema_text.h"

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock describe random_resized_crop\n"
    "  penstock describe --all --format markdown > docs/operators.md";

std::string all_operators(const CommonOptions& options, const Registry& registry) {
  if (options.json()) return format_operators_json(registry);
  if (options.format == "markdown") return format_operators_markdown(registry);
  std::string text;
  for (const std::string& name : registry.names()) {
    text += (text.empty() ? "" : "\n") + format_operator_text(*registry.find(name));
  }
  return text;
}

std::string one_operator(const CommonOptions& options, const Registry& registry,
                         const std::string& op) {
  const Registry::Entry* entry = registry.find(op);
  if (entry == nullptr) {
    const std::string near = did_you_mean(op, registry.names());
    throw UsageError(
        fmt::format("there is no operator '{}'", op),
        near.empty() ? "penstock list shows all of them" : fmt::format("did you mean '{}'?", near));
  }
  if (options.format == "markdown") return format_markdown(entry->def.schema);
  return options.json() ? format_operator_json(*entry) : format_operator_text(*entry);
}

int describe_verb(const CommonOptions& options, const std::string& op, bool all) {
  if (op.empty() != all) {
    throw UsageError("describe takes the name of one operator, or --all",
                     "penstock list shows their names");
  }
  std::vector<Diagnostic> diagnostics;
  const Registry registry = load_default_registry(options.plugins, &diagnostics);
  print_diagnostics(diagnostics, options.json());
  if (has_errors(diagnostics)) return kBadPipeline;
  write_result(all ? all_operators(options, registry) : one_operator(options, registry, op));
  return kOk;
}

}  // namespace

void add_describe(Shell& shell) {
  const auto options = std::make_shared<CommonOptions>();
  const auto op = std::make_shared<std::string>();
  const auto all = std::make_shared<bool>(false);
  CLI::App* verb =
      add_verb(shell, "describe", "Tell all about one operator: parameters, fields", kExamples);
  verb->add_option("OP", *op, "Name of the operator")->type_name("");
  verb->add_flag("--all", *all, "All operators");
  add_plugins(verb, options.get());
  add_format(verb, options.get(), {"text", "json", "markdown"});
  verb->callback([&shell, options, op, all] {
    shell.action = [options, op, all] { return describe_verb(*options, *op, *all); };
  });
}

}  // namespace penstock::cli
