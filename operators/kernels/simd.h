#pragma once

namespace penstock::kernels {

/// Instruction sets that a kernel may use. All of them give the same bits.
enum class Simd { kScalar, kAvx2 };

/// The best set of the processor that runs this.
Simd best_simd();

}  // namespace penstock::kernels
