#include "plugin/loader.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <sstream>

#include "plugin/c_form.h"
#include "plugin/handshake.h"
#include "plugin/note.h"

namespace penstock {
namespace {

constexpr const char* kEntryPoint = "penstock_plugin";
constexpr const char* kCEntryPoint = "penstock_c_plugin";
constexpr const char* kBuiltinLibrary = "libpenstock_operators.so";
constexpr const char* kPathVariable = "PENSTOCK_PLUGIN_PATH";
constexpr int kBadLibrary = 78;  // EX_CONFIG of sysexits.h, as for a pipeline that cannot be loaded

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

/// What this thread is loading: code of that library may run.
thread_local const char* opening = nullptr;
std::terminate_handler terminate_before = nullptr;

void say_to_stderr(const char* text) {
  static_cast<void>(!write(STDERR_FILENO, text, std::strlen(text)));
}

// glibc lets no exception out of a static constructor: the process ends, but says why.
[[noreturn]] void end_with_reason() {
  if (opening == nullptr) terminate_before();
  const std::string text = "error: cannot load '" + std::string(opening) + "': " +
                           guarded("a static constructor",
                                   []() -> std::string {
                                     if (auto cause = std::current_exception())
                                       std::rethrow_exception(cause);
                                     return "a static constructor called std::terminate()";
                                   }) +
                           "\n";
  say_to_stderr(text.c_str());
  std::_Exit(kBadLibrary);
}

// A library that calls exit() while it is loaded would end the program as if all were well.
void refuse_exit() {
  if (opening == nullptr) return;
  say_to_stderr("error: cannot load '");
  say_to_stderr(opening);
  say_to_stderr("': it calls exit() while it is loaded\n");
  std::_Exit(kBadLibrary);
}

constexpr int kCrashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
struct sigaction crash_before[std::size(kCrashes)];

// Names the file, and lets happen what would have happened. Calls nothing that a signal forbids.
void name_crash(int number) {
  if (opening != nullptr) {
    say_to_stderr("error: it crashed while it was loaded: '");
    say_to_stderr(opening);
    say_to_stderr("'\n");
  }
  for (size_t i = 0; i < std::size(kCrashes); ++i) {
    sigaction(kCrashes[i], &crash_before[i], nullptr);
  }
  raise(number);
}

/// While it lives, this thread loads `path`, and no other one loads anything.
class Opening {
 public:
  explicit Opening(const char* path) : lock_(one_at_a_time()), outer_(opening) {
    static const int hooked = std::atexit(refuse_exit);
    static_cast<void>(hooked);
    opening = path;
    if (outer_ != nullptr) return;
    struct sigaction action = {};
    action.sa_handler = name_crash;
    action.sa_flags = SA_NODEFER;
    for (size_t i = 0; i < std::size(kCrashes); ++i) {
      sigaction(kCrashes[i], &action, &crash_before[i]);
    }
  }
  ~Opening() {
    opening = outer_;
    for (size_t i = 0; outer_ == nullptr && i < std::size(kCrashes); ++i) {
      sigaction(kCrashes[i], &crash_before[i], nullptr);
    }
  }
  Opening(const Opening&) = delete;
  Opening& operator=(const Opening&) = delete;

 private:
  static std::recursive_mutex& one_at_a_time() {
    static std::recursive_mutex mutex;  // the handlers belong to the process
    return mutex;
  }
  std::lock_guard<std::recursive_mutex> lock_;
  const char* outer_;
};

void* open_file(const std::string& path) {
  terminate_before = std::set_terminate(end_with_reason);
  // RTLD_NOW: an undefined symbol is found here, not at its first call.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::set_terminate(terminate_before);
  return handle;
}

/// What the entry point `name` of an opened library gives, or null and the reason.
template <typename Descriptor>
const Descriptor* call_entry(void* handle, const char* name, const PluginFacts& note,
                             std::string* reason) {
  using EntryPoint = const Descriptor* (*)();
  const auto entry = reinterpret_cast<EntryPoint>(dlsym(handle, name));
  if (entry == nullptr) {
    *reason = std::string("it is no operator library: it has no function ") + name;
    return nullptr;
  }
  const Descriptor* descriptor = nullptr;
  *reason = guarded(std::string(name) + "()", [&]() -> std::string {
    descriptor = entry();
    return "";
  });
  if (reason->empty()) *reason = check_descriptor(descriptor, note);
  return reason->empty() ? descriptor : nullptr;
}

/// The operators of an opened library of the C++ form.
std::string read_cpp(void* handle, const PluginFacts& note, std::vector<OperatorDef>* defs) {
  std::string reason;
  const auto* library = call_entry<PluginDescriptor>(handle, kEntryPoint, note, &reason);
  if (library == nullptr) return reason;
  Collector collector;
  reason = guarded("register_operators()", [&]() -> std::string {
    library->register_operators(collector);
    return "";
  });
  *defs = std::move(collector.defs);
  return reason;
}

std::string read_c(void* handle, const PluginFacts& note, std::vector<OperatorDef>* defs) {
  std::string reason;
  const auto* library = call_entry<PenstockCPlugin>(handle, kCEntryPoint, note, &reason);
  return library == nullptr ? reason : definitions_of(*library, defs);
}

std::string register_all(std::vector<OperatorDef> defs, const std::string& origin,
                         Registry* registry) {
  Registry trial = *registry;
  for (OperatorDef& def : defs) {
    std::string reason = trial.add(std::move(def), origin);
    if (!reason.empty()) return reason;
  }
  *registry = std::move(trial);
  return {};
}

std::string open_and_register(const std::string& file, const std::string& path,
                              const PluginFacts& facts, Registry* registry) {
  const Opening now(file.c_str());
  void* handle = open_file(file);
  if (handle == nullptr) return last_loader_error();
  std::vector<OperatorDef> defs;
  std::string reason =
      facts.form == "c" ? read_c(handle, facts, &defs) : read_cpp(handle, facts, &defs);
  if (!reason.empty()) return reason;
  return register_all(std::move(defs),
                      printable(facts.name + " " + facts.version + " (" + path + ")"), registry);
}

bool same_content(const std::string& a, const std::string& b) {
  std::error_code error;
  if (std::filesystem::file_size(a, error) != std::filesystem::file_size(b, error)) return false;
  std::ifstream first(a, std::ios::binary), second(b, std::ios::binary);
  using Bytes = std::istreambuf_iterator<char>;
  return first && second && std::equal(Bytes(first), Bytes(), Bytes(second), Bytes());
}

/// Why the library cannot be there beside those of the registry, or "".
std::string check_neighbours(const PluginFacts& facts, const std::string& path,
                             const Registry& registry) {
  if (const std::string* other = registry.library_named(facts.name)) {
    if (same_content(path, *other)) {
      return "it is a second copy of '" + *other + "', which is there already: load one of them";
    }
    return "a library named '" + facts.name + "' is already there, from '" + *other + "'";
  }
  const Registry::Library* other = registry.library_with_torch();
  if (facts.form == "c++" && !facts.torch.empty() && other != nullptr &&
      other->torch != facts.torch) {
    return "it was built with torch " + facts.torch + ", and '" + other->path + "' with torch " +
           other->torch + ": a process has one of them";
  }
  return "";
}

std::string load_file_of(const std::string& path, Registry* registry) {
  std::error_code error;
  const std::string absolute = std::filesystem::absolute(path, error).string();
  if (!std::filesystem::exists(absolute, error)) {
    return error ? "it cannot be opened: " + error.message() : "there is no such file";
  }
  const std::string identity = identity_of(absolute);
  if (registry->has_library(identity)) return {};
  PluginFacts facts;
  std::string reason = read_note(absolute, &facts);
  if (reason.empty()) reason = check_facts(facts);
  if (reason.empty()) reason = check_neighbours(facts, absolute, *registry);
  if (reason.empty()) reason = open_and_register(absolute, path, facts, registry);
  if (reason.empty())
    registry->add_library(identity, {facts.name, path, facts.form == "c++" ? facts.torch : ""});
  return reason;
}

/// Operator libraries in the folders of PENSTOCK_PLUGIN_PATH, sorted by name in each, and those
/// that would be if they were not damaged: other libraries may lie beside them. A folder that
/// cannot be read becomes a warning.
std::vector<std::string> libraries_on_path(std::vector<Diagnostic>* diagnostics) {
  std::vector<std::string> paths;
  const char* value = std::getenv(kPathVariable);
  std::istringstream folders(value == nullptr ? "" : value);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (folder.empty()) continue;
    std::vector<std::string> here;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      PluginFacts facts;
      if (entry.path().extension() != ".so") continue;
      const std::string reason = read_note(entry.path().string(), &facts);
      if (!reason.starts_with(kSomethingElse)) here.push_back(entry.path().string());
    }
    if (error) {
      diagnostics->push_back({.severity = Diagnostic::Severity::kWarning,
                              .code = "plugin-path",
                              .message = std::string(kPathVariable) + ": cannot read the folder '" +
                                         folder + "': " + error.message()});
    }
    std::sort(here.begin(), here.end());
    paths.insert(paths.end(), here.begin(), here.end());
  }
  return paths;
}

}  // namespace

std::string load_library(const std::string& path, Registry* registry) {
  const std::string reason = load_file_of(path, registry);
  return reason.empty() ? "" : "cannot load '" + path + "': " + reason;
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

Registry load_default_registry(const std::vector<std::string>& files,
                               std::vector<Diagnostic>* diagnostics,
                               const std::vector<PluginSpec>& of_pipeline,
                               const std::vector<OperatorDef>& of_program) {
  Registry registry;
  const auto load = [&](const std::string& path, Diagnostic complaint) {
    complaint.code = kPluginError;
    complaint.message = load_library(path, &registry);
    if (!complaint.message.empty()) diagnostics->push_back(std::move(complaint));
  };
  load(builtin_library_path(), {});
  for (const OperatorDef& def : of_program) {
    const std::string reason = registry.add(def, "this program");
    if (!reason.empty()) diagnostics->push_back({.code = kPluginError, .message = reason});
  }
  for (const std::string& path : libraries_on_path(diagnostics)) {
    load(path, {.severity = Diagnostic::Severity::kWarning});
  }
  for (const PluginSpec& plugin : of_pipeline) {
    load(plugin.path, {.at = plugin.at, .source_line = plugin.source_line});
  }
  for (const std::string& path : files) load(path, {});
  return registry;
}

}  // namespace penstock
