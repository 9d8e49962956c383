#include "device/cuda_device.h"

#include <array>

namespace penstock::operators {
namespace {

std::string version_text(int version) {  // 13000 is 13.0
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

std::string cuda_refusal(const CudaFunctions& cuda) {
  int driver = 0, runtime = 0, count = 0;
  if (cuda.driver_version(&driver) != cuda_error::kNone || driver == 0) {
    return "no CUDA driver is installed";
  }
  if (cuda.runtime_version(&runtime) == cuda_error::kNone && driver / 1000 < runtime / 1000) {
    return "the CUDA driver is too old: it is for CUDA " + version_text(driver) +
           ", and the runtime is " + version_text(runtime);
  }
  const int error = cuda.device_count(&count);
  if (error == cuda_error::kNoDevice || (error == cuda_error::kNone && count == 0)) {
    return "the CUDA driver finds no device";
  }
  if (error != cuda_error::kNone) {
    return std::string("the CUDA devices cannot be counted: ") + cuda.error_text(error);
  }
  return "";
}

int cuda_device_count(const CudaFunctions& cuda) {
  int count = 0;
  return cuda.device_count(&count) == cuda_error::kNone ? count : 0;
}

/// Makes the device the thread's current one.
class CudaDevice::Current {
 public:
  explicit Current(const CudaDevice& device) : cuda_(device.cuda_) {
    if (cuda_.get_device(&before_) != cuda_error::kNone) before_ = device.index_;
    if (before_ != device.index_) device.check(cuda_.set_device(device.index_), "using the device");
    changed_ = before_ != device.index_;
  }
  ~Current() {
    if (changed_ && cuda_.set_device(before_) != cuda_error::kNone) cuda_.clear_error();
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

 private:
  const CudaFunctions& cuda_;
  int before_ = 0;
  bool changed_ = false;
};

void CudaDevice::check(int error, const char* what) const {
  if (error == cuda_error::kNone) return;
  cuda_.clear_error();
  throw DeviceError(
      "cuda:" + std::to_string(index_) + ": " + what + ": " +
      (error == cuda_error::kOutOfMemory ? "out of memory" : cuda_.error_text(error)));
}

std::string CudaDevice::name() const {
  std::array<char, 256> name{};
  if (cuda_.device_name(name.data(), name.size(), index_) != cuda_error::kNone) return "cuda";
  return std::string(name.data()) + " (cuda:" + std::to_string(index_) + ")";
}

void* CudaDevice::allocate(size_t bytes) {
  const Current current(*this);
  void* memory = nullptr;
  check(cuda_.allocate(&memory, bytes), "allocating device memory");
  return memory;
}

void CudaDevice::free(void* memory) noexcept { cuda_.free(memory); }

void* CudaDevice::allocate_pinned(size_t bytes) {
  const Current current(*this);
  void* memory = nullptr;
  check(cuda_.allocate_host(&memory, bytes), "allocating pinned memory");
  return memory;
}

void CudaDevice::free_pinned(void* memory) noexcept { cuda_.free_host(memory); }

StreamHandle CudaDevice::create_stream() {
  const Current current(*this);
  void* stream = nullptr;
  check(cuda_.create_stream(&stream), "creating a stream");
  return stream;
}

void CudaDevice::destroy_stream(StreamHandle stream) noexcept { cuda_.destroy_stream(stream); }

void CudaDevice::drain(StreamHandle stream) noexcept {
  try {
    const Current current(*this);
    check(cuda_.synchronize_stream(stream), "waiting for the device");
  } catch (const DeviceError&) {  // it does nothing more
  }
}

EventHandle CudaDevice::create_event() {
  const Current current(*this);
  void* event = nullptr;
  check(cuda_.create_event(&event), "creating an event");
  return event;
}

void CudaDevice::destroy_event(EventHandle event) noexcept { cuda_.destroy_event(event); }

void CudaDevice::copy_to_device(void* to, const void* from, size_t bytes, StreamHandle stream) {
  check(cuda_.copy_to_device(to, from, bytes, stream), "copying to the device");
}

void CudaDevice::copy_to_host(void* to, const void* from, size_t bytes, StreamHandle stream) {
  check(cuda_.copy_to_host(to, from, bytes, stream), "copying from the device");
}

// The default stream is the current device's.
void CudaDevice::record(EventHandle event, StreamHandle stream) {
  const Current current(*this);
  check(cuda_.record(event, stream), "recording an event");
}

void CudaDevice::wait(StreamHandle stream, EventHandle event) {
  const Current current(*this);
  check(cuda_.wait(stream, event), "waiting for an event");
}

void CudaDevice::synchronize(EventHandle event) {
  check(cuda_.synchronize(event), "waiting for the device");
}

bool CudaDevice::is_done(EventHandle event) {
  const int error = cuda_.query(event);
  if (error == cuda_error::kNotReady) return false;
  check(error, "asking the device");
  return true;
}

double CudaDevice::elapsed_ms(EventHandle from, EventHandle to) {
  float ms = 0;
  check(cuda_.elapsed(&ms, from, to), "reading the device's clock");
  return ms;
}

void CudaDevice::finish(const kernels::PictureBatch& pictures, StreamHandle stream) {
  const Current current(*this);
  check(cuda_.finish(&pictures, stream), "launching a kernel");
}

void CudaDevice::work(int64_t ns, StreamHandle stream) {
  const Current current(*this);
  check(cuda_.work(ns, stream), "launching a kernel");
}

}  // namespace penstock::operators
