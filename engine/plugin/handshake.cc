#include "plugin/handshake.h"

#include <dlfcn.h>

#include <cstddef>

namespace penstock {
namespace {

constexpr const char* kBuildAgain = ": build it again with these headers";

// The part of a version within which objects have one layout: "0.1" of "0.1.0".
std::string compatible_part(const std::string& version) {
  const size_t first = version.find('.');
  return version.substr(0, version.find('.', first == std::string::npos ? first : first + 1));
}

std::string abi_text(uint32_t major, uint32_t minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

struct Abi {
  const char* name;
  uint32_t major, minor;
};
constexpr Abi kCppAbi = {"plugin ABI", kPluginAbiMajor, kPluginAbiMinor};
constexpr Abi kCAbi = {"C plugin ABI", PENSTOCK_C_ABI_MAJOR, PENSTOCK_C_ABI_MINOR};

std::string check_abi(const Abi& ours, uint32_t major, uint32_t minor) {
  if (major == ours.major && minor <= ours.minor) return "";
  return std::string("it was built for ") + ours.name + " " + abi_text(major, minor) +
         ", this engine has " + abi_text(ours.major, ours.minor) + kBuildAgain;
}

// Objects of the C++ form are those of the headers and of the C++ library.
std::string check_cpp(const PluginFacts& facts) {
  if (compatible_part(facts.penstock) != compatible_part(kVersion)) {
    return "it was built for penstock " + facts.penstock + ", this is " + kVersion + kBuildAgain;
  }
  if (facts.standard_library != PENSTOCK_STANDARD_LIBRARY) {
    return "it was built with the C++ library '" + facts.standard_library +
           "', this engine with '" + PENSTOCK_STANDARD_LIBRARY "': build it again with that one";
  }
  return "";
}

std::string check_sanitizer(const std::string& sanitizer) {
  if (sanitizer.empty()) return "";
  const std::string start = sanitizer == "thread" ? "__tsan_init" : "__asan_init";
  if (dlsym(RTLD_DEFAULT, start.c_str()) != nullptr) return "";
  return "it was built with the " + sanitizer + " sanitizer and this program was not" +
         (sanitizer == "thread" ? ": 'penstock plugin check' can run it"
                                : ": set LD_PRELOAD to its library, libasan.so");
}

}  // namespace

std::string check_facts(const PluginFacts& facts) {
  const bool is_c = facts.form == "c";
  if (!is_c && facts.form != "c++") {
    return "its note is of the form '" + facts.form + "', this engine knows c and c++" +
           kBuildAgain;
  }
  std::string reason = check_abi(is_c ? kCAbi : kCppAbi, facts.abi_major, facts.abi_minor);
  if (!reason.empty()) return reason;
  if (facts.name.empty() || facts.version.empty() || facts.penstock.empty()) {
    return "its note is not complete (name, version, penstock)";
  }
  if (!is_c) reason = check_cpp(facts);
  return reason.empty() ? check_sanitizer(facts.sanitizer) : reason;
}

std::string check_descriptor(const PenstockCPlugin* plugin, const PluginFacts& note) {
  if (plugin == nullptr) return "it gives no descriptor";
  // Up to the last field of C ABI 1.0.
  constexpr size_t kLeast = offsetof(PenstockCPlugin, operators) + sizeof(void*);
  if (plugin->struct_size < kLeast) {
    return "its descriptor has " + std::to_string(plugin->struct_size) + " bytes, not " +
           std::to_string(kLeast);
  }
  std::string reason = check_abi(kCAbi, plugin->abi_major, plugin->abi_minor);
  if (!reason.empty()) return reason;
  if (plugin->name == nullptr || plugin->version == nullptr || plugin->operators == nullptr) {
    return "its descriptor is not complete";
  }
  if (note.name != plugin->name || note.version != plugin->version) {
    return "its note says '" + note.name + " " + note.version + "' where its descriptor says '" +
           plugin->name + " " + plugin->version + "'";
  }
  return "";
}

std::string check_descriptor(const PluginDescriptor* descriptor, const PluginFacts& note) {
  if (descriptor == nullptr) return "it gives no descriptor";
  const size_t size = descriptor->struct_size;
  if (size < offsetof(PluginDescriptor, name)) {
    return "its descriptor has " + std::to_string(size) + " bytes: it is no operator library";
  }
  if (std::string reason = check_abi(kCppAbi, descriptor->abi_major, descriptor->abi_minor);
      !reason.empty()) {
    return reason;
  }
  if (size < sizeof(PluginDescriptor)) {
    return "its descriptor has " + std::to_string(size) + " bytes, not " +
           std::to_string(sizeof(PluginDescriptor)) + kBuildAgain;
  }
  if (descriptor->register_operators == nullptr) return "its descriptor has no register_operators";
  const std::pair<const char*, const std::string*> facts[] = {
      {descriptor->name, &note.name},
      {descriptor->version, &note.version},
      {descriptor->penstock, &note.penstock},
      {descriptor->author, &note.author},
      {descriptor->licence, &note.licence},
      {descriptor->torch, &note.torch},
      {descriptor->compiler, &note.compiler},
      {descriptor->standard_library, &note.standard_library},
  };
  for (const auto& [text, known] : facts) {
    if (text == nullptr) return "its descriptor is not complete";
    if (*known != text) {
      return "its note says '" + *known + "' where its descriptor says '" + text + "'";
    }
  }
  return {};
}

}  // namespace penstock
