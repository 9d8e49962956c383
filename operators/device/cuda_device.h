#pragma once
/// A CUDA device, by a table of runtime functions.

#include <memory>
#include <string>

#include "device/cuda_functions.h"
#include "device/device_runtime.h"

namespace penstock::operators {

/// Why no device of that table can be used at all ("no CUDA driver is installed"); empty: there is
/// one.
std::string cuda_refusal(const CudaFunctions& cuda);
int cuda_device_count(const CudaFunctions& cuda);

/// Calls that go by the thread's current device set it for their own time only: consumers' threads
/// call too.
class CudaDevice final : public DeviceRuntime {
 public:
  /// `cuda` must outlive it.
  CudaDevice(const CudaFunctions& cuda, int index) : cuda_(cuda), index_(index) {}

  Device device() const override { return {Device::Kind::kCuda, static_cast<int8_t>(index_)}; }
  std::string name() const override;
  void* allocate(size_t bytes) override;
  void free(void* memory) noexcept override;
  void* allocate_pinned(size_t bytes) override;
  void free_pinned(void* memory) noexcept override;
  StreamHandle create_stream() override;
  void destroy_stream(StreamHandle stream) noexcept override;
  void drain(StreamHandle stream) noexcept override;
  EventHandle create_event() override;
  void destroy_event(EventHandle event) noexcept override;
  void copy_to_device(void* to, const void* from, size_t bytes, StreamHandle stream) override;
  void copy_to_host(void* to, const void* from, size_t bytes, StreamHandle stream) override;
  void record(EventHandle event, StreamHandle stream) override;
  void wait(StreamHandle stream, EventHandle event) override;
  void synchronize(EventHandle event) override;
  bool is_done(EventHandle event) override;
  double elapsed_ms(EventHandle from, EventHandle to) override;
  void finish(const kernels::PictureBatch& pictures, StreamHandle stream) override;
  void work(int64_t ns, StreamHandle stream) override;
  void begin_range(const char* name) override { cuda_.begin_range(name); }
  void end_range() override { cuda_.end_range(); }

 private:
  class Current;
  void check(int error, const char* what) const;

  const CudaFunctions& cuda_;
  int index_;
};

}  // namespace penstock::operators
