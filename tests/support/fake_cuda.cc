#include "support/fake_cuda.h"

#include <cstdio>
#include <new>

namespace penstock {
namespace {

using operators::CudaFunctions;
using operators::DeviceError;
namespace cuda_error = operators::cuda_error;

constexpr int kLaunchFailure = 719;

FakeCuda& fake() {
  static FakeCuda state;
  return state;
}

thread_local int current_device = 0;

/// Errors as numbers, as the C interface has them.
template <typename Body>
int guarded(Body body) {
  try {
    LazyDevice* const device = fake().device;
    if (device == nullptr) return kLaunchFailure;
    body(*device);
    return cuda_error::kNone;
  } catch (const DeviceError& error) {
    const bool memory = std::string(error.what()).find("out of memory") != std::string::npos;
    return memory ? cuda_error::kOutOfMemory : kLaunchFailure;
  }
}

constexpr CudaFunctions kFunctions = {
    .driver_version = [](int* version) { return *version = fake().driver, 0; },
    .runtime_version = [](int* version) { return *version = fake().runtime, 0; },
    .device_count = [](int* count) { return *count = fake().count, fake().count_error; },
    .device_name = [](char* name, size_t size,
                      int) { return std::snprintf(name, size, "fake device"), 0; },
    .get_device = [](int* device) { return *device = current_device, 0; },
    .set_device = [](int device) { return current_device = device, 0; },
    .allocate =
        [](void** memory, size_t bytes) {
          return guarded([&](LazyDevice& on) { *memory = on.allocate(bytes); });
        },
    .free = [](void* memory) { return guarded([&](LazyDevice& on) { on.free(memory); }); },
    .allocate_host =
        [](void** memory, size_t bytes) {
          return guarded([&](LazyDevice& on) { *memory = on.allocate_pinned(bytes); });
        },
    .free_host =
        [](void* memory) { return guarded([&](LazyDevice& on) { on.free_pinned(memory); }); },
    .create_stream =
        [](void** stream) {
          return guarded([&](LazyDevice& on) { *stream = on.create_stream(); });
        },
    .destroy_stream =
        [](void* stream) { return guarded([&](LazyDevice& on) { on.destroy_stream(stream); }); },
    .synchronize_stream =
        [](void* stream) { return guarded([&](LazyDevice& on) { on.drain(stream); }); },
    .create_event =
        [](void** event) { return guarded([&](LazyDevice& on) { *event = on.create_event(); }); },
    .destroy_event =
        [](void* event) { return guarded([&](LazyDevice& on) { on.destroy_event(event); }); },
    .copy_to_device =
        [](void* to, const void* from, size_t bytes, void* stream) {
          return guarded([&](LazyDevice& on) { on.copy_to_device(to, from, bytes, stream); });
        },
    .copy_to_host =
        [](void* to, const void* from, size_t bytes, void* stream) {
          return guarded([&](LazyDevice& on) { on.copy_to_host(to, from, bytes, stream); });
        },
    .record =
        [](void* event, void* stream) {
          return guarded([&](LazyDevice& on) { on.record(event, stream); });
        },
    .wait = [](void* stream,
               void* event) { return guarded([&](LazyDevice& on) { on.wait(stream, event); }); },
    .synchronize =
        [](void* event) { return guarded([&](LazyDevice& on) { on.synchronize(event); }); },
    .query =
        [](void* event) {
          bool done = false;
          const int error = guarded([&](LazyDevice& on) { done = on.is_done(event); });
          return error != cuda_error::kNone || done ? error : cuda_error::kNotReady;
        },
    .elapsed =
        [](float* ms, void* from, void* to) {
          return guarded(
              [&](LazyDevice& on) { *ms = static_cast<float>(on.elapsed_ms(from, to)); });
        },
    .finish =
        [](const kernels::PictureBatch* pictures, void* stream) {
          return guarded([&](LazyDevice& on) { on.finish(*pictures, stream); });
        },
    .work = [](int64_t ns,
               void* stream) { return guarded([&](LazyDevice& on) { on.work(ns, stream); }); },
    .begin_range = [](const char*) {},
    .end_range = [] {},
    .error_text =
        [](int error) {
          return error == cuda_error::kOutOfMemory ? "out of memory" : "unspecified launch failure";
        },
    .clear_error = [] { return 0; },
};

}  // namespace

const CudaFunctions& fake_cuda(FakeCuda state) {
  fake() = state;
  return kFunctions;
}

}  // namespace penstock
