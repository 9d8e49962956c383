#include "plugin/handshake.h"

#include <cstddef>

namespace penstock {
namespace {

// The part of a version within which objects have one layout: "0.1" of "0.1.0".
std::string compatible_part(const std::string& version) {
  const size_t first = version.find('.');
  return version.substr(0, version.find('.', first == std::string::npos ? first : first + 1));
}

std::string abi_text(uint32_t major, uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

}  // namespace

std::string check_descriptor(const PluginDescriptor* descriptor) {
  if (descriptor == nullptr) return "it gives no descriptor";
  const size_t size = descriptor->struct_size;
  if (size < offsetof(PluginDescriptor, name)) {
    return "its descriptor has " + std::to_string(size) + " bytes: it is no operator library";
  }
  const uint32_t major = descriptor->abi_major;
  const uint32_t minor = descriptor->abi_minor;
  if (major != kPluginAbiMajor || minor > kPluginAbiMinor) {
    return "it was built for plugin ABI " + abi_text(major, minor) + ", this engine has " +
           abi_text(kPluginAbiMajor, kPluginAbiMinor) + ": build it again with these headers";
  }
  if (size < sizeof(PluginDescriptor)) {
    return "its descriptor has " + std::to_string(size) + " bytes, not " +
           std::to_string(sizeof(PluginDescriptor)) + ": build it again with these headers";
  }
  if (descriptor->name == nullptr || *descriptor->name == '\0' || descriptor->version == nullptr ||
      descriptor->penstock == nullptr || descriptor->register_operators == nullptr) {
    return "its descriptor is not complete (name, version, penstock, register_operators)";
  }
  if (compatible_part(descriptor->penstock) != compatible_part(kVersion)) {
    return std::string("it was built for penstock ") + descriptor->penstock + ", this is " +
           kVersion + ": build it again with these headers";
  }
  return {};
}

}  // namespace penstock
