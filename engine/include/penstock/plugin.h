#pragma once
/// The entry point of an operator library. The built-in operators use the same one.

#include <cstdint>
#include <string>

#include "penstock/note.h"
#include "penstock/operator.h"

#define PENSTOCK_PLUGIN_ABI_MAJOR 1
#define PENSTOCK_PLUGIN_ABI_MINOR 0

namespace penstock {

inline constexpr uint32_t kPluginAbiMajor = PENSTOCK_PLUGIN_ABI_MAJOR;
inline constexpr uint32_t kPluginAbiMinor = PENSTOCK_PLUGIN_ABI_MINOR;
inline constexpr const char* kVersion = PENSTOCK_VERSION;

/// Receives the operators of one library.
class OperatorSink {
 public:
  virtual ~OperatorSink() = default;
  virtual void add(OperatorDef def) = 0;
};

/// Plain facts about a library; fields are only appended, struct_size says how many there are. The
/// texts are those of the library's note.
struct PluginDescriptor {
  uint32_t struct_size;
  uint32_t abi_major, abi_minor;
  const char* name;
  const char* version;
  const char* penstock;  ///< the kVersion it was built against
  const char* author;
  const char* licence;
  void (*register_operators)(OperatorSink& sink);
  const char* torch;  ///< version of libtorch where the library uses it, else ""
  const char* compiler;
  const char* standard_library;
};

}  // namespace penstock

/// The one symbol that the loader looks for.
extern "C" __attribute__((visibility("default"))) const penstock::PluginDescriptor*
penstock_plugin();

/// Defines the entry point and the note. The first four are string literals without line breaks;
/// REGISTER is a function void(penstock::OperatorSink&). Once in a library, in the global
/// namespace:
///   PENSTOCK_PLUGIN("my_operators", "1.2.0", "A. Author", "Apache-2.0", register_operators)
#define PENSTOCK_PLUGIN(NAME, LIBRARY_VERSION, AUTHOR, LICENCE, REGISTER)                          \
  PENSTOCK_NOTE(                                                                                   \
      "c++",                                                                                       \
      PENSTOCK_TEXT(PENSTOCK_PLUGIN_ABI_MAJOR) "." PENSTOCK_TEXT(PENSTOCK_PLUGIN_ABI_MINOR), NAME, \
      LIBRARY_VERSION, AUTHOR, LICENCE);                                                           \
  const penstock::PluginDescriptor* penstock_plugin() {                                            \
    static constexpr penstock::PluginDescriptor kDescriptor = {sizeof(penstock::PluginDescriptor), \
                                                               penstock::kPluginAbiMajor,          \
                                                               penstock::kPluginAbiMinor,          \
                                                               NAME,                               \
                                                               LIBRARY_VERSION,                    \
                                                               PENSTOCK_VERSION,                   \
                                                               AUTHOR,                             \
                                                               LICENCE,                            \
                                                               REGISTER,                           \
                                                               PENSTOCK_TORCH_VERSION,             \
                                                               PENSTOCK_COMPILER,                  \
                                                               PENSTOCK_STANDARD_LIBRARY};         \
    return &kDescriptor;                                                                           \
  }
