#pragma once
/// From a file to a plan, through the rooms: configuration, operator libraries, plan. What the
/// public Pipeline, the command line and tests share.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "penstock/diagnostic.h"
#include "penstock/pipeline.h"
#include "plan/plan.h"

namespace penstock {

/// What was read, also where it cannot run; every mistake and warning is in `diagnostics`, sorted.
struct Composed {
  std::vector<Diagnostic> diagnostics;
  std::optional<GraphSpec> spec;     ///< nothing when the text itself could not be read
  Registry registry;                 ///< the operators that were to choose from
  std::shared_ptr<const Plan> plan;  ///< null after an error
};

/// Reads a pipeline file. Any thread, but see config/load.h for the environment.
Composed compose_file(const std::string& path, const LoadOptions& options);
/// The same from a text; relative paths start from the current directory.
Composed compose_text(const std::string& text, const LoadOptions& options);

}  // namespace penstock
