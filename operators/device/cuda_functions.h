#pragma once
/// What is used of CUDA's runtime, as a table: filled from libcudart in the library
/// penstock_cuda, and by tests with functions of their own, so that everything above it runs
/// without a device. Types are those of the C interface with handles as void*; results are
/// cudaError_t.

#include <cstddef>
#include <cstdint>

namespace penstock::kernels {
struct PictureBatch;
}

namespace penstock::operators {

struct CudaFunctions {
  int (*driver_version)(int* version);  ///< 0: no driver
  int (*runtime_version)(int* version);
  int (*device_count)(int* count);
  int (*device_name)(char* name, size_t size, int device);
  int (*get_device)(int* device);
  int (*set_device)(int device);
  int (*allocate)(void** memory, size_t bytes);
  int (*free)(void* memory);
  int (*allocate_host)(void** memory, size_t bytes);
  int (*free_host)(void* memory);
  int (*create_stream)(void** stream);  ///< that does not wait for the default stream
  int (*destroy_stream)(void* stream);
  int (*synchronize_stream)(void* stream);
  int (*create_event)(void** event);  ///< with times; who waits for it sleeps
  int (*destroy_event)(void* event);
  int (*copy_to_device)(void* to, const void* from, size_t bytes, void* stream);
  int (*copy_to_host)(void* to, const void* from, size_t bytes, void* stream);
  int (*record)(void* event, void* stream);
  int (*wait)(void* stream, void* event);
  int (*synchronize)(void* event);
  int (*query)(void* event);
  int (*elapsed)(float* ms, void* from, void* to);
  int (*finish)(const kernels::PictureBatch* pictures, void* stream);
  int (*work)(int64_t ns, void* stream);  ///< a kernel that takes that long
  void (*begin_range)(const char* name);  ///< NVTX
  void (*end_range)();
  const char* (*error_text)(int error);
  int (*clear_error)();  ///< forgets an error that is not sticky
};

/// Errors by their numbers in the C interface, which are stable.
namespace cuda_error {
inline constexpr int kNone = 0;
inline constexpr int kOutOfMemory = 2;
inline constexpr int kInsufficientDriver = 35;
inline constexpr int kNoDevice = 100;
inline constexpr int kInvalidDevice = 101;
inline constexpr int kNotReady = 600;
}  // namespace cuda_error

}  // namespace penstock::operators
