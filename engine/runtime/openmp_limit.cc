#include "runtime/openmp_limit.h"

#include <dlfcn.h>

namespace penstock {
namespace {

using GetThreads = int (*)();
using SetThreads = void (*)(int);
using SwapThreads = int (*)(int);

/// A function of a library that is loaded already: by the program, or by a plugin for itself alone.
template <typename Function>
Function find(const char* library, const char* name) {
  void* symbol = dlsym(RTLD_DEFAULT, name);
  if (symbol == nullptr) {
    void* handle = dlopen(library, RTLD_NOLOAD | RTLD_LAZY);
    if (handle == nullptr) return nullptr;
    symbol = dlsym(handle, name);
    dlclose(handle);  // gives back the count, the library stays
  }
  return reinterpret_cast<Function>(symbol);
}

constexpr const char* kOpenMp = "libgomp.so.1";
constexpr const char* kTorch = "libtorch_cpu.so";
/// MKL's thread-local number of threads (it lies inside libtorch); returns the one before.
constexpr const char* kMklThreads = "MKL_Set_Num_Threads_Local";
/// at::get_num_threads(). A thread's first call into libtorch takes over what the host gave to
/// at::set_num_threads(), for OpenMP and MKL: that must have happened before the limit is set.
constexpr const char* kTorchThreads = "_ZN2at15get_num_threadsEv";

}  // namespace

OpenMpLimit::OpenMpLimit() {
  const auto get = find<GetThreads>(kOpenMp, "omp_get_max_threads");
  const auto set = find<SetThreads>(kOpenMp, "omp_set_num_threads");
  if (get == nullptr || set == nullptr) return;
  if (const auto torch = find<GetThreads>(kTorch, kTorchThreads); torch != nullptr) torch();
  team_before_ = get();
  set(1);
  if (const auto mkl = find<SwapThreads>(kTorch, kMklThreads); mkl != nullptr) mkl_before_ = mkl(1);
}

OpenMpLimit::~OpenMpLimit() {
  if (team_before_ == 0) return;
  if (const auto set = find<SetThreads>(kOpenMp, "omp_set_num_threads"); set != nullptr) {
    set(team_before_);
  }
  if (const auto mkl = find<SwapThreads>(kTorch, kMklThreads); mkl != nullptr) mkl(mkl_before_);
}

}  // namespace penstock
