#include "kernels/simd.h"

namespace penstock::kernels {

Simd best_simd() {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
  return has_avx2 ? Simd::kAvx2 : Simd::kScalar;
#else
  return Simd::kScalar;
#endif
}

}  // namespace penstock::kernels
