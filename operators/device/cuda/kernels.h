#pragma once
/// What runs on the device itself.

#include <cuda_runtime_api.h>

#include <cstdint>

#include "kernels/finish_pictures.h"

namespace penstock::operators {

/// finished_element() of all elements.
cudaError_t launch_finish(const kernels::PictureBatch& pictures, cudaStream_t stream);

/// One thread that looks at the device's clock until that long is over.
cudaError_t launch_work(int64_t ns, cudaStream_t stream);

}  // namespace penstock::operators
