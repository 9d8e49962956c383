#include "runtime/openmp_limit.h"

#include <dlfcn.h>

namespace penstock {
namespace {

/// A function of a library that is loaded already: by the program, or by a plugin for itself alone.
template <typename Function>
Function find_call(const char* library, const char* name) {
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

OpenMpCalls OpenMpCalls::find() {
  OpenMpCalls calls;
  calls.get_threads = find_call<decltype(get_threads)>(kOpenMp, "omp_get_max_threads");
  calls.set_threads = find_call<decltype(set_threads)>(kOpenMp, "omp_set_num_threads");
  calls.torch_threads = find_call<decltype(torch_threads)>(kTorch, kTorchThreads);
  calls.swap_mkl_threads = find_call<decltype(swap_mkl_threads)>(kTorch, kMklThreads);
  return calls;
}

OpenMpLimit::OpenMpLimit(const OpenMpCalls& calls) : calls_(calls) {
  if (calls_.get_threads == nullptr || calls_.set_threads == nullptr) return;
  if (calls_.torch_threads != nullptr) calls_.torch_threads();
  team_before_ = calls_.get_threads();
  calls_.set_threads(1);
  if (calls_.swap_mkl_threads != nullptr) mkl_before_ = calls_.swap_mkl_threads(1);
}

OpenMpLimit::~OpenMpLimit() {
  if (team_before_ == 0) return;
  calls_.set_threads(team_before_);
  if (calls_.swap_mkl_threads != nullptr) calls_.swap_mkl_threads(mkl_before_);
}

}  // namespace penstock
