#include <memory>

#include "cli/common.h"
#include "plugin/loader.h"
#include "report/json_schema.h"

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock schema > penstock.schema.json\n"
    "  penstock schema --plugin ./my_operators.so > penstock.schema.json";

int schema_verb(const CommonOptions& options) {
  std::vector<Diagnostic> diagnostics;
  const Registry registry = load_default_registry(options.plugins, &diagnostics);
  print_diagnostics(diagnostics, false);
  if (has_errors(diagnostics)) return kBadPipeline;
  write_result(format_json_schema(registry));
  return kOk;
}

}  // namespace

void add_schema(Shell& shell) {
  const auto options = std::make_shared<CommonOptions>();
  CLI::App* verb =
      add_verb(shell, "schema", "Print the pipeline format as JSON Schema, for editors", kExamples);
  add_plugins(verb, options.get());
  verb->callback([&shell, options] { shell.action = [options] { return schema_verb(*options); }; });
}

}  // namespace penstock::cli
