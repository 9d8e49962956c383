#pragma once
/// An accelerator as `pin` and `device_copy` see it: memory, streams and events with the meaning
/// that they have in CUDA. Implemented by the simulated device, by CUDA, and by tests.
///
/// All but the destructor may be called by any thread. What goes wrong throws DeviceError.

#include <cstddef>
#include <cstdint>
#include <string>

#include "kernels/finish_pictures.h"
#include "penstock/device.h"
#include "penstock/operator.h"

namespace penstock::operators {

/// The device is at fault: no policy passes over it.
class DeviceError : public MachineError {
 public:
  using MachineError::MachineError;
};

using StreamHandle = void*;
using EventHandle = void*;

class DeviceRuntime {
 public:
  virtual ~DeviceRuntime() = default;
  /// Where its memory lies.
  virtual Device device() const = 0;
  /// "NVIDIA H200 (cuda:0)".
  virtual std::string name() const = 0;

  virtual void* allocate(size_t bytes) = 0;
  virtual void free(void* memory) noexcept = 0;
  /// Host memory that copies can be made from without a detour.
  virtual void* allocate_pinned(size_t bytes) = 0;
  virtual void free_pinned(void* memory) noexcept = 0;

  /// Its work does not wait for that of other streams.
  virtual StreamHandle create_stream() = 0;
  virtual void destroy_stream(StreamHandle stream) noexcept = 0;
  /// Blocks until nothing is on the stream any more; of a device at fault nothing will be done.
  virtual void drain(StreamHandle stream) noexcept = 0;
  virtual EventHandle create_event() = 0;
  /// What was put on streams with it stays in force.
  virtual void destroy_event(EventHandle event) noexcept = 0;

  /// Both return before the copy is made.
  virtual void copy_to_device(void* to, const void* from, size_t bytes, StreamHandle stream) = 0;
  virtual void copy_to_host(void* to, const void* from, size_t bytes, StreamHandle stream) = 0;
  virtual void record(EventHandle event, StreamHandle stream) = 0;
  /// What is put on `stream` from now on waits for the event's last record().
  virtual void wait(StreamHandle stream, EventHandle event) = 0;
  /// Blocks until the event's last record() has been reached; at once where there was none.
  virtual void synchronize(EventHandle event) = 0;
  virtual bool is_done(EventHandle event) = 0;
  /// Between two events that are done.
  virtual double elapsed_ms(EventHandle from, EventHandle to) = 0;
  /// Pictures that lie on the device, to memory that does.
  virtual void finish(const kernels::PictureBatch& pictures, StreamHandle stream) = 0;
  /// Keeps the stream busy for that long: stands for a training step where one is measured.
  virtual void work(int64_t ns, StreamHandle stream) = 0;
  /// Names what the thread does, for the device's profiler.
  virtual void begin_range(const char* name) { (void)name; }
  virtual void end_range() {}
};

}  // namespace penstock::operators
