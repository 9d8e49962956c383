#pragma once
/// CUDA's runtime as a table whose functions drive a LazyDevice, so that CudaDevice runs as it does
/// on a real one.

#include "device/cuda_functions.h"
#include "support/lazy_device.h"

namespace penstock {

/// What the machine of the fake has, besides its device.
struct FakeCuda {
  LazyDevice* device = nullptr;
  int driver = 13000, runtime = 13000, count = 1;
  int count_error = 0;
};
/// The functions use the one that was set last; tests that use them run one at a time.
const operators::CudaFunctions& fake_cuda(FakeCuda fake);

}  // namespace penstock
