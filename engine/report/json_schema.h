#pragma once
/// The pipeline format as a JSON Schema, for editors.

#include <string>

#include "plan/registry.h"

namespace penstock {

/// One schema (draft 2020-12) of a pipeline file, with every operator of the registry: its
/// parameters, their types, ranges and words. It takes whatever `check` takes, and refuses what can
/// be told from a file alone; what needs the graph or the data is left to `check`.
std::string format_json_schema(const Registry& registry);

}  // namespace penstock
