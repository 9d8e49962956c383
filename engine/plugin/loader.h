#pragma once
/// Operator libraries: opened, asked for their facts, and only then for operators. A library stays
/// in the process for good, so that no operator outlives its code. One thread at a time per
/// registry.

#include <string>
#include <vector>

#include "penstock/diagnostic.h"
#include "plan/graph_spec.h"
#include "plan/registry.h"

namespace penstock {

/// Code of the diagnostics about libraries that cannot be loaded.
inline constexpr const char* kPluginError = "plugin";

/// Adds the operators of a library to `registry`: all of them, or none and the reason as text. A
/// file that the registry has seen, under whatever name, adds nothing and is no mistake. The file's
/// note is read before it is opened. Where a static constructor of the library throws, nobody can
/// go on: the reason is written to stderr and the process ends with exit code 78.
std::string load_library(const std::string& path, Registry* registry);

/// The library of built-in operators, in the folder of the library (or program) that holds this
/// code.
std::string builtin_library_path();

/// The built-in operators, those of the program itself, of all operator libraries in the folders of
/// PENSTOCK_PLUGIN_PATH (separated by ':'), of the pipeline's `plugins` and of `files`, in this
/// order. What cannot be loaded becomes an error in `diagnostics` (a warning where it lies on the
/// path: the pipeline may not need it), and the rest is there all the same.
Registry load_default_registry(const std::vector<std::string>& files,
                               std::vector<Diagnostic>* diagnostics,
                               const std::vector<PluginSpec>& of_pipeline = {},
                               const std::vector<OperatorDef>& of_program = {});

}  // namespace penstock
