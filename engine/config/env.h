#pragma once
/// `${env:NAME}` and `${env:NAME:-default}` in values.

#include <string>
#include <vector>

#include "plan/graph_spec.h"

namespace penstock::config {

/// Replaces the references in every scalar below `value`, quoted ones too; keys stay as they are,
/// and what was put in is never read as YAML. The default, up to the first '}', serves a variable
/// that is unset or empty. `$${` stands for `${`.
void substitute_env(Value* value, std::vector<Diagnostic>* diagnostics);

/// True if YAML reads `text` without quotes as this very text, also inside brackets.
bool is_plain_safe(const std::string& text);

}  // namespace penstock::config
