#include "runtime/openmp_limit.h"

#include <dlfcn.h>

namespace penstock {
namespace {

using GetThreads = int (*)();
using SetThreads = void (*)(int);

template <typename Function>
Function symbol(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

OpenMpLimit::OpenMpLimit() {
  const auto get = symbol<GetThreads>("omp_get_max_threads");
  const auto set = symbol<SetThreads>("omp_set_num_threads");
  if (get == nullptr || set == nullptr) return;
  before_ = get();
  set(1);
}

OpenMpLimit::~OpenMpLimit() {
  if (before_ == 0) return;
  if (const auto set = symbol<SetThreads>("omp_set_num_threads"); set != nullptr) set(before_);
}

}  // namespace penstock
