#pragma once
/// Operators of the C form as operators of the engine.

#include <string>
#include <vector>

#include "penstock/c_plugin.h"
#include "penstock/operator.h"

namespace penstock {

/// The operators of such a library, or the reason why they cannot be used. Reads no more of a
/// structure than its struct_size says. What the definitions refer to stays in the library, which
/// is never unloaded.
std::string definitions_of(const PenstockCPlugin& plugin, std::vector<OperatorDef>* defs);

}  // namespace penstock
