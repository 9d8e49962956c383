#include <memory>

#include "cli/common.h"
#include "plugin/loader.h"
#include "report/schema_text.h"

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock list\n"
    "  penstock list --plugin ./libmy_operators.so --format json";

int list_verb(const CommonOptions& options) {
  std::vector<Diagnostic> diagnostics;
  const Registry registry = load_default_registry(options.plugins, &diagnostics);
  print_diagnostics(diagnostics, options.json());
  write_result(options.json() ? format_operators_json(registry) : format_operators_text(registry));
  return has_errors(diagnostics) ? kBadPipeline : kOk;
}

}  // namespace

void add_list(Shell& shell) {
  const auto options = std::make_shared<CommonOptions>();
  CLI::App* verb = add_verb(shell, "list", "List the operators", kExamples);
  add_plugins(verb, options.get());
  add_format(verb, options.get());
  verb->callback([&shell, options] { shell.action = [options] { return list_verb(*options); }; });
}

}  // namespace penstock::cli
