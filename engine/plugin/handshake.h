#pragma once
/// May a library be used by this engine, and may C++ objects cross? Only plain facts are read here.

#include <string>

#include "penstock/c_plugin.h"
#include "penstock/plugin.h"
#include "plugin/note.h"

namespace penstock {

/// Why a library with that note cannot be opened here, or "".
std::string check_facts(const PluginFacts& facts);

/// Why the descriptor of an opened library will not do, or "": its facts must be those of its note.
/// Reads no more of the descriptor than its struct_size says.
std::string check_descriptor(const PluginDescriptor* descriptor, const PluginFacts& note);
/// The same for the C form.
std::string check_descriptor(const PenstockCPlugin* plugin, const PluginFacts& note);

}  // namespace penstock
