#pragma once
/// The entry point of an operator library. The built-in operators use the same one.

#include <cstdint>
#include <string>

#include "penstock/operator.h"

namespace penstock {

inline constexpr uint32_t kPluginAbiMajor = 1;
inline constexpr uint32_t kPluginAbiMinor = 0;
inline constexpr const char* kVersion = "0.1.0";

/// Receives the operators of one library.
class OperatorSink {
 public:
  virtual ~OperatorSink() = default;
  virtual void add(OperatorDef def) = 0;
};

/// Plain facts about a library; fields are only appended, struct_size says how many there are.
struct PluginDescriptor {
  uint32_t struct_size;
  uint32_t abi_major, abi_minor;
  const char* name;
  const char* version;
  const char* penstock;  ///< the kVersion it was built against
  const char* author;
  const char* licence;
  void (*register_operators)(OperatorSink& sink);
};

}  // namespace penstock

/// The one symbol that the loader looks for.
extern "C" __attribute__((visibility("default"))) const penstock::PluginDescriptor*
penstock_plugin();
