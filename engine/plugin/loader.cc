#include "plugin/loader.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <sys/stat.h>

#include <cctype>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <memory>

#include "plugin/handshake.h"

namespace penstock {
namespace {

constexpr const char* kEntryPoint = "penstock_plugin";
constexpr const char* kBuiltinLibrary = "libpenstock_operators.so";

/// Keeps what a library registers until it is known to be whole.
class Collector : public OperatorSink {
 public:
  void add(OperatorDef def) override { defs.push_back(std::move(def)); }
  std::vector<OperatorDef> defs;
};

// Device and inode: the same for a file and a link to it.
std::string identity_of(const std::string& path) {
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) return path;
  return std::to_string(facts.st_dev) + ":" + std::to_string(facts.st_ino);
}

// The loader's message with the readable form of every mangled name behind it.
std::string with_readable_names(const std::string& text) {
  std::string result;
  size_t i = 0;
  while (i < text.size()) {
    const bool word_start = i == 0 || (std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0 &&
                                       text[i - 1] != '_');
    size_t end = i;
    while (end < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
      ++end;
    }
    if (!word_start || end == i) {
      result += text[i++];
      continue;
    }
    const std::string word = text.substr(i, end - i);
    result += word;
    i = end;
    if (!word.starts_with("_Z")) continue;
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> name(
        abi::__cxa_demangle(word.c_str(), nullptr, nullptr, &status), std::free);
    if (name != nullptr && status == 0) result += " (" + std::string(name.get()) + ")";
  }
  return result;
}

std::string last_loader_error() {
  const char* text = dlerror();
  return text == nullptr ? "unknown error of the loader" : with_readable_names(text);
}

// Runs foreign code; what it throws becomes text.
template <typename Body>
std::string guarded(const std::string& doing, Body body) {
  try {
    return body();
  } catch (const std::exception& error) {
    return doing + " threw: " + error.what();
  } catch (...) {
    return doing + " threw an unknown exception";
  }
}

std::string open_library(const std::string& path, const PluginDescriptor** descriptor) {
  // RTLD_NOW: an undefined symbol is found here, not at its first call. An exception out of a
  // static constructor ends the process (glibc's dlopen lets none through).
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return last_loader_error();
  using EntryPoint = const PluginDescriptor* (*)();
  const auto entry = reinterpret_cast<EntryPoint>(dlsym(handle, kEntryPoint));
  if (entry == nullptr) {
    return std::string("it is no operator library: it has no function ") + kEntryPoint;
  }
  const std::string reason = guarded(std::string(kEntryPoint) + "()", [&]() -> std::string {
    *descriptor = entry();
    return "";
  });
  return reason.empty() ? check_descriptor(*descriptor) : reason;
}

std::string register_all(const PluginDescriptor& library, const std::string& path,
                         Registry* registry) {
  Collector collector;
  std::string reason = guarded("register_operators()", [&]() -> std::string {
    library.register_operators(collector);
    return "";
  });
  if (!reason.empty()) return reason;
  const std::string origin = std::string(library.name) + " " + library.version;
  Registry trial = *registry;
  for (OperatorDef& def : collector.defs) {
    reason = trial.add(std::move(def), origin + " (" + path + ")");
    if (!reason.empty()) return reason;
  }
  *registry = std::move(trial);
  return {};
}

}  // namespace

std::string load_library(const std::string& path, Registry* registry) {
  const std::string failed = "cannot load '" + path + "': ";
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).string();
  if (!std::filesystem::exists(absolute, error)) return failed + "there is no such file";
  const std::string identity = identity_of(absolute);
  if (registry->has_library(identity)) return {};
  const PluginDescriptor* library = nullptr;
  std::string reason = open_library(absolute, &library);
  if (!reason.empty()) return failed + reason;
  if (const std::string* other = registry->library_named(library->name)) {
    return failed + "a library named '" + library->name + "' is already there, from '" + *other +
           "'";
  }
  reason = register_all(*library, path, registry);
  if (!reason.empty()) return failed + reason;
  registry->add_library(identity, library->name, path);
  return {};
}

std::string builtin_library_path() {
  Dl_info info{};
  std::filesystem::path here;
  if (dladdr(reinterpret_cast<const void*>(&load_library), &info) != 0 &&
      info.dli_fname != nullptr) {
    std::error_code error;
    here = std::filesystem::absolute(info.dli_fname, error).parent_path();
  }
  return (here / kBuiltinLibrary).string();
}

Registry load_default_registry(const std::vector<std::string>& plugins,
                               std::vector<Diagnostic>* diagnostics) {
  Registry registry;
  std::vector<std::string> paths = {builtin_library_path()};
  paths.insert(paths.end(), plugins.begin(), plugins.end());
  for (const std::string& path : paths) {
    const std::string reason = load_library(path, &registry);
    if (reason.empty()) continue;
    diagnostics->push_back({.code = "plugin", .message = reason});
  }
  return registry;
}

}  // namespace penstock
