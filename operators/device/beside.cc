#include "device/beside.h"

#include <dlfcn.h>

#include <filesystem>

namespace penstock::operators {

Beside find_beside(const std::string& library, const char* entry, const std::string& missing) {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&find_beside), &here) == 0) return {nullptr, missing};
  const auto path = std::filesystem::path(here.dli_fname).parent_path() / library;
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return {nullptr, missing};
  void* const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) return {nullptr, dlerror()};
  void* const function = dlsym(opened, entry);
  if (function == nullptr) return {nullptr, path.string() + " is no library of Penstock's"};
  return {function, ""};
}

}  // namespace penstock::operators
