#pragma once
/// Operators as `list` and `describe` show them: everything comes from the schema.

#include <string>

#include "plan/registry.h"

namespace penstock {

/// One line an operator: name, kind, where it runs, first sentence.
std::string format_operators_text(const Registry& registry);
/// {"operators": [...]}: what format_operator_json() gives, of all of them.
std::string format_operators_json(const Registry& registry);
/// The page docs/operators.md: `describe --all --format markdown`.
std::string format_operators_markdown(const Registry& registry);

/// All about one operator.
std::string format_operator_text(const Registry::Entry& entry);
std::string format_operator_json(const Registry::Entry& entry);

}  // namespace penstock
