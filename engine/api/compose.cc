#include "api/compose.h"

#include <algorithm>

#include "config/load.h"
#include "plugin/loader.h"

namespace penstock {
namespace {

/// A value whose variable could not be put in is wrong in that one way: what its unchanged text
/// breaks elsewhere is no mistake of its own.
void drop_consequences(std::vector<Diagnostic>* found) {
  std::vector<Position> unresolved;
  for (const Diagnostic& each : *found) {
    if (each.code.starts_with("env-")) unresolved.push_back(each.at);
  }
  std::erase_if(*found, [&unresolved](const Diagnostic& each) {
    return !each.code.starts_with("env-") &&
           std::any_of(unresolved.begin(), unresolved.end(), [&each](const Position& at) {
             return at.file == each.at.file && at.line == each.at.line &&
                    at.column == each.at.column;
           });
  });
}

/// Where a library could not be loaded, its operators are unknown: no list of others helps.
void shorten_consequences(std::vector<Diagnostic>* found) {
  const bool lacks_library = std::any_of(found->begin(), found->end(), [](const Diagnostic& each) {
    return each.code == kPluginError && each.severity == Diagnostic::Severity::kError;
  });
  for (Diagnostic& each : *found) {
    if (!lacks_library || each.code != "unknown-op" || each.help.starts_with("did you")) continue;
    each.help = "it may be one of the library that cannot be loaded";
  }
}

// `whole` where the file is right so far, else `partial`: the plan may find more mistakes in it.
Composed finish(std::optional<GraphSpec> whole, std::optional<GraphSpec> partial,
                std::vector<Diagnostic> found, const LoadOptions& options) {
  Composed result;
  result.spec = whole ? std::move(whole) : std::move(partial);
  std::vector<PluginSpec> of_pipeline;
  if (result.spec) of_pipeline = result.spec->plugins;
  result.registry = load_default_registry(options.plugins, &found, of_pipeline, options.operators);
  if (result.spec) {
    auto plan = make_plan(*result.spec, result.registry, &found);
    if (!has_errors(found)) result.plan = std::move(plan);
  }
  drop_consequences(&found);
  shorten_consequences(&found);
  sort_diagnostics(&found);
  // First what could not be loaded: its operators are then unknown.
  std::stable_partition(found.begin(), found.end(),
                        [](const Diagnostic& each) { return each.code == kPluginError; });
  result.diagnostics = std::move(found);
  return result;
}

}  // namespace

Composed compose_file(const std::string& path, const LoadOptions& options) {
  std::vector<Diagnostic> found;
  std::optional<GraphSpec> partial;
  auto spec = load_file(path, options.set, &found, &partial);
  return finish(std::move(spec), std::move(partial), std::move(found), options);
}

Composed compose_text(const std::string& text, const LoadOptions& options) {
  std::vector<Diagnostic> found;
  std::optional<GraphSpec> partial;
  auto spec = load_text(text, "<string>", "", options.set, &found, &partial);
  return finish(std::move(spec), std::move(partial), std::move(found), options);
}

}  // namespace penstock
