#pragma once
/// Operator libraries: opened, asked for their facts, and only then for operators. A library stays
/// in the process for good, so that no operator outlives its code. One thread at a time per
/// registry.

#include <optional>
#include <string>
#include <vector>

#include "penstock/diagnostic.h"
#include "plan/registry.h"

namespace penstock {

/// Adds the operators of a library to `registry`: all of them, or none and the reason as text. A
/// file that the registry has seen, under whatever name, adds nothing and is no mistake.
std::string load_library(const std::string& path, Registry* registry);

/// The library of built-in operators, in the folder of the library (or program) that holds this
/// code.
std::string builtin_library_path();

/// The built-in operators and those of `plugins`; what cannot be loaded becomes an error in
/// `diagnostics`, and the rest is there all the same.
Registry load_default_registry(const std::vector<std::string>& plugins,
                               std::vector<Diagnostic>* diagnostics);

}  // namespace penstock
