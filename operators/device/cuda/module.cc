// The library penstock_cuda: CUDA's runtime as a table. Only this file, and the kernels beside it,
// need the CUDA toolkit; the library is opened when a pipeline asks for a device.

#include <cuda_runtime_api.h>
#include <nvtx3/nvToolsExt.h>

#include "device/cuda/kernels.h"
#include "device/cuda_functions.h"

namespace penstock::operators {
namespace {

cudaStream_t stream_of(void* stream) { return static_cast<cudaStream_t>(stream); }
cudaEvent_t event_of(void* event) { return static_cast<cudaEvent_t>(event); }

constexpr CudaFunctions kFunctions = {
    .driver_version = [](int* version) -> int { return cudaDriverGetVersion(version); },
    .runtime_version = [](int* version) -> int { return cudaRuntimeGetVersion(version); },
    .device_count = [](int* count) -> int { return cudaGetDeviceCount(count); },
    .device_name = [](char* name, size_t size, int device) -> int {
      cudaDeviceProp properties;
      const cudaError_t error = cudaGetDeviceProperties(&properties, device);
      for (size_t i = 0; error == cudaSuccess && i < size; ++i) {
        name[i] = i + 1 < size && i < sizeof(properties.name) ? properties.name[i] : '\0';
      }
      return error;
    },
    .get_device = [](int* device) -> int { return cudaGetDevice(device); },
    .set_device = [](int device) -> int { return cudaSetDevice(device); },
    .allocate = [](void** memory, size_t bytes) -> int { return cudaMalloc(memory, bytes); },
    .free = [](void* memory) -> int { return cudaFree(memory); },
    .allocate_host = [](void** memory, size_t bytes) -> int {
      return cudaHostAlloc(memory, bytes, cudaHostAllocPortable);
    },
    .free_host = [](void* memory) -> int { return cudaFreeHost(memory); },
    .create_stream = [](void** stream) -> int {
      cudaStream_t created = nullptr;
      const cudaError_t error = cudaStreamCreateWithFlags(&created, cudaStreamNonBlocking);
      *stream = created;
      return error;
    },
    .destroy_stream = [](void* stream) -> int { return cudaStreamDestroy(stream_of(stream)); },
    .synchronize_stream = [](void* stream) -> int {
      return cudaStreamSynchronize(stream_of(stream));
    },
    .create_event = [](void** event) -> int {
      cudaEvent_t created = nullptr;
      const cudaError_t error = cudaEventCreateWithFlags(&created, cudaEventBlockingSync);
      *event = created;
      return error;
    },
    .destroy_event = [](void* event) -> int { return cudaEventDestroy(event_of(event)); },
    .copy_to_device = [](void* to, const void* from, size_t bytes, void* stream) -> int {
      return cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream_of(stream));
    },
    .copy_to_host = [](void* to, const void* from, size_t bytes, void* stream) -> int {
      return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_of(stream));
    },
    .record = [](void* event, void* stream) -> int {
      return cudaEventRecord(event_of(event), stream_of(stream));
    },
    .wait = [](void* stream, void* event) -> int {
      return cudaStreamWaitEvent(stream_of(stream), event_of(event), 0);
    },
    .synchronize = [](void* event) -> int { return cudaEventSynchronize(event_of(event)); },
    .query = [](void* event) -> int { return cudaEventQuery(event_of(event)); },
    .elapsed = [](float* ms, void* from, void* to) -> int {
      return cudaEventElapsedTime(ms, event_of(from), event_of(to));
    },
    .finish = [](const kernels::PictureBatch* pictures, void* stream) -> int {
      return launch_finish(*pictures, stream_of(stream));
    },
    .work = [](int64_t ns, void* stream) -> int { return launch_work(ns, stream_of(stream)); },
    .begin_range = [](const char* name) { nvtxRangePushA(name); },
    .end_range = [] { nvtxRangePop(); },
    .error_text = [](int error) { return cudaGetErrorString(static_cast<cudaError_t>(error)); },
    .clear_error = []() -> int { return cudaGetLastError(); },
};

}  // namespace
}  // namespace penstock::operators

extern "C" __attribute__((visibility("default"))) const penstock::operators::CudaFunctions*
penstock_cuda_functions() {
  return &penstock::operators::kFunctions;
}
