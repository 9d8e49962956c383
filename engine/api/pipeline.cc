#include "api/compose.h"

namespace penstock {
namespace {

Pipeline made_of(Composed composed) {
  if (composed.plan == nullptr) throw InvalidPipeline(std::move(composed.diagnostics));
  return Pipeline(std::move(composed.plan));
}

}  // namespace

Pipeline Pipeline::load(const std::string& path, const LoadOptions& options) {
  return made_of(compose_file(path, options));
}

Pipeline Pipeline::parse(const std::string& text, const LoadOptions& options) {
  return made_of(compose_text(text, options));
}

std::vector<Diagnostic> Pipeline::check(const std::string& path, const LoadOptions& options) {
  return compose_file(path, options).diagnostics;
}

}  // namespace penstock
