#pragma once
/// May C++ objects cross between this engine and a library? Only plain facts are read here.

#include <string>

#include "penstock/plugin.h"

namespace penstock {

/// Why not, or "". Reads no more of the descriptor than its struct_size says.
std::string check_descriptor(const PluginDescriptor* descriptor);

}  // namespace penstock
