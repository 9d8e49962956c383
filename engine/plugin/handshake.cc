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

std::string check_abi(uint32_t major, uint32_t minor) {
  if (major == kPluginAbiMajor && minor <= kPluginAbiMinor) return "";
  return "it was built for plugin ABI " + abi_text(major, minor) + ", this engine has " +
         abi_text(kPluginAbiMajor, kPluginAbiMinor) + kBuildAgain;
}

std::string check_sanitizer(const std::string& sanitizer) {
  if (sanitizer.empty()) return "";
  const std::string start = sanitizer == "thread" ? "__tsan_init" : "__asan_init";
  if (dlsym(RTLD_DEFAULT, start.c_str()) != nullptr) return "";
  return "it was built with the " + sanitizer + " sanitizer and this program was not" +
         (sanitizer == "thread" ? ": 'penstock plugin check' can run it" : "");
}

}  // namespace

std::string check_facts(const PluginFacts& facts) {
  if (facts.form != "c++") {
    return "its note is of the form '" + facts.form + "', this engine knows c++" + kBuildAgain;
  }
  if (std::string reason = check_abi(facts.abi_major, facts.abi_minor); !reason.empty()) {
    return reason;
  }
  if (facts.name.empty() || facts.version.empty() || facts.penstock.empty()) {
    return "its note is not complete (name, version, penstock)";
  }
  if (compatible_part(facts.penstock) != compatible_part(kVersion)) {
    return "it was built for penstock " + facts.penstock + ", this is " + kVersion + kBuildAgain;
  }
  if (facts.standard_library != PENSTOCK_STANDARD_LIBRARY) {
    return "it was built with the C++ library '" + facts.standard_library +
           "', this engine with '" + PENSTOCK_STANDARD_LIBRARY "': build it again with that one";
  }
  return check_sanitizer(facts.sanitizer);
}

std::string check_descriptor(const PluginDescriptor* descriptor, const PluginFacts& note) {
  if (descriptor == nullptr) return "it gives no descriptor";
  const size_t size = descriptor->struct_size;
  if (size < offsetof(PluginDescriptor, name)) {
    return "its descriptor has " + std::to_string(size) + " bytes: it is no operator library";
  }
  if (std::string reason = check_abi(descriptor->abi_major, descriptor->abi_minor);
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
