#include "cli/variants.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "api/compose.h"
#include "cli/limits.h"

namespace penstock::cli {
namespace {

constexpr std::string_view kSet = "--set ";

/// Whether the diagnostic is about one of these assignments.
bool about(const Diagnostic& diagnostic, const std::vector<std::string>& assignments) {
  const std::string key = diagnostic.at.file.substr(kSet.size()) + "=";
  return std::any_of(assignments.begin(), assignments.end(),
                     [&key](const std::string& one) { return one.starts_with(key); });
}

void name_place(const Variant& variant, bool several_files, Diagnostic* diagnostic) {
  if (!diagnostic->at.file.starts_with(kSet)) return;
  if (about(*diagnostic, variant.varied)) {
    diagnostic->at.file.replace(0, kSet.size(), "--vary ");
  }
  if (several_files) diagnostic->at.file = variant.file + ": " + diagnostic->at.file;
}

std::string key_of(const std::string& assignment) {
  return assignment.substr(0, assignment.find('='));
}

bool is_below(const std::string& key, const std::string& other) {
  return key.starts_with(other + ".");
}

void check_length(const char* option, const std::string& key, const std::string& help) {
  if (key != "batches" && key != "epochs") return;
  throw UsageError(fmt::format("{} {} would change nothing: each run repeats its epochs until its "
                               "own length is reached",
                               option, key),
                   help);
}

}  // namespace

void check_assignments(const std::vector<std::string>& set, const std::vector<std::string>& vary,
                       const std::string& help) {
  for (const std::string& one : set) check_length("--set", key_of(one), help);
  for (size_t i = 0; i < vary.size(); ++i) {
    const std::string key = key_of(vary[i]);
    check_length("--vary", key, help);
    for (size_t j = 0; j < vary.size(); ++j) {
      if (j < i && key_of(vary[j]) == key) {
        throw UsageError(fmt::format("--vary {} comes twice", key),
                         "give all its values at once, apart by commas");
      }
      if (is_below(key_of(vary[j]), key)) {
        throw UsageError(fmt::format("--vary {} and --vary {} set the same", key, key_of(vary[j])),
                         "vary one of the two");
      }
    }
    for (const std::string& fixed : set) {
      if (key_of(fixed) != key && !is_below(key_of(fixed), key)) continue;
      throw UsageError(fmt::format("--set {} and --vary {} set the same", key_of(fixed), key),
                       "leave the --set out");
    }
  }
}

std::vector<Pipeline> load_all(const std::vector<Variant>& variants, const CommonOptions& common,
                               Console& console) {
  const bool several = std::any_of(variants.begin(), variants.end(), [&](const Variant& variant) {
    return variant.file != variants.front().file;
  });
  std::vector<Pipeline> pipelines;
  std::vector<Diagnostic> found;
  std::vector<std::string> limits;
  for (const Variant& variant : variants) {
    LoadOptions load = common.load();
    load.set.insert(load.set.end(), variant.set.begin(), variant.set.end());
    load.set.insert(load.set.end(), variant.varied.begin(), variant.varied.end());
    Composed composed = compose_file(variant.file, load);
    for (Diagnostic& diagnostic : composed.diagnostics) {
      name_place(variant, several, &diagnostic);
      found.push_back(std::move(diagnostic));
    }
    if (composed.plan == nullptr) continue;
    for (std::string& warning : limit_warnings(*composed.plan, system_limits())) {
      if (std::find(limits.begin(), limits.end(), warning) == limits.end()) {
        limits.push_back(std::move(warning));
      }
    }
    pipelines.emplace_back(std::move(composed.plan));
  }
  sort_diagnostics(&found);
  if (pipelines.size() < variants.size()) throw InvalidPipeline(std::move(found));
  if (common.level() != Verbosity::kQuiet) print_diagnostics(found, common.json());
  for (const std::string& warning : limits) console.warn(warning);
  return pipelines;
}

}  // namespace penstock::cli
