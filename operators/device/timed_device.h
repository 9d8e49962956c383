#pragma once
/// A device that exists in this process only: copies take the time that a link of a given speed
/// would need, streams are threads, and its memory is the heap's. For trying out pipelines, and for
/// tests, where there is no accelerator.

#include <memory>

#include "device/device_runtime.h"

namespace penstock::operators {

struct TimedDeviceOptions {
  double bytes_per_s = 16e9;    ///< of its one link, which serves one copy at a time
  int64_t latency_ns = 10'000;  ///< of each copy, besides
};

class TimedDevice final : public DeviceRuntime {
 public:
  explicit TimedDevice(TimedDeviceOptions options = {});
  ~TimedDevice() override;
  TimedDevice(const TimedDevice&) = delete;
  TimedDevice& operator=(const TimedDevice&) = delete;

  Device device() const override { return {Device::Kind::kSimulated, 0}; }
  std::string name() const override { return "simulated device"; }
  void* allocate(size_t bytes) override;
  void free(void* memory) noexcept override;
  void* allocate_pinned(size_t bytes) override { return allocate(bytes); }
  void free_pinned(void* memory) noexcept override { free(memory); }
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

 private:
  class Stream;
  struct Event;
  struct Link;
  using SharedEvent = std::shared_ptr<Event>;  ///< an EventHandle points to one
  static const SharedEvent& event_of(EventHandle event);
  Stream& stream_of(StreamHandle stream);
  void copy(void* to, const void* from, size_t bytes, StreamHandle stream);

  TimedDeviceOptions options_;
  std::unique_ptr<Link> link_;
  std::unique_ptr<Stream> default_stream_;
};

}  // namespace penstock::operators
