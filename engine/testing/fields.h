#pragma once
/// What the two ways of running an operator in a test share.

#include <vector>

#include "penstock/testing.h"

namespace penstock::testing {

/// What a plan would know of items with these fields.
std::vector<FieldInfo> known_fields(const NamedFields& fields);
/// The operators that the entry point of this program registers.
const std::vector<OperatorDef>& all_operators();

}  // namespace penstock::testing
