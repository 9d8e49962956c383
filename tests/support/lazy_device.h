#pragma once
/// A device that does nothing before it must: a copy is made when the host waits for an event
/// behind it, or when what is waited for has to wait for it. That is as late as CUDA allows, and
/// whoever uses memory again too early, or reads it too early, is found out. With a seed, some of
/// what was put on the streams is done earlier, as the seed says. Everything is one thread's at a
/// time.

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "device/device_runtime.h"
#include "penstock/random.h"

namespace penstock {

struct LazyDeviceOptions {
  uint64_t seed = 0;          ///< 0: all as late as possible
  size_t memory = 64 << 20;   ///< bytes of the device; more gives "out of memory"
  uint64_t failing_copy = 0;  ///< the n-th copy to the device fails when it is made; from 1
  uint64_t lost_after = 0;    ///< every call fails after so many copies were asked for; 0: never
  Device::Kind kind = Device::Kind::kSimulated;
  size_t pinned_blocks = SIZE_MAX;  ///< that there is memory for
  uint64_t clock_step = 1;          ///< milliseconds of its clock that each operation takes
};

class LazyDevice final : public operators::DeviceRuntime {
 public:
  using Stream = operators::StreamHandle;
  using Event = operators::EventHandle;

  explicit LazyDevice(LazyDeviceOptions options = {});
  ~LazyDevice() override;

  Device device() const override { return {options_.kind, 0}; }
  std::string name() const override { return "lazy device"; }
  void* allocate(size_t bytes) override;
  void free(void* memory) noexcept override;
  void* allocate_pinned(size_t bytes) override;
  void free_pinned(void* memory) noexcept override;
  Stream create_stream() override;
  void destroy_stream(Stream stream) noexcept override;
  void drain(Stream stream) noexcept override;
  Event create_event() override;
  void destroy_event(Event event) noexcept override;
  void copy_to_device(void* to, const void* from, size_t bytes, Stream stream) override;
  void copy_to_host(void* to, const void* from, size_t bytes, Stream stream) override;
  void record(Event event, Stream stream) override;
  void wait(Stream stream, Event event) override;
  void synchronize(Event event) override;
  bool is_done(Event event) override;
  double elapsed_ms(Event from, Event to) override;
  void finish(const kernels::PictureBatch& pictures, Stream stream) override;
  void work(int64_t ns, Stream stream) override { (void)ns, (void)stream; }

  /// The n-th record() or synchronize() from now on fails, and does nothing.
  void fail_record(int n) { record_fails_ = n; }
  void fail_synchronize(int n) { synchronize_fails_ = n; }
  /// What was done too early, each in words.
  std::vector<std::string> violations() const;
  /// Allocations of both kinds that were not freed.
  size_t live() const;
  uint64_t copies() const;

 private:
  struct Op;
  struct Queue;
  struct Mark;
  void fail_if_lost() const;
  void put(Stream stream, Op op);
  void run(Queue& queue, uint64_t until);
  void execute(Queue& queue, const Op& op);
  void run_some();
  void* take(size_t bytes);
  void give(void* memory) noexcept;
  Queue& queue_of(Stream stream);
  static uint64_t sum_of(const void* from, size_t bytes);

  LazyDeviceOptions options_;
  mutable std::recursive_mutex mutex_;
  std::vector<std::unique_ptr<Queue>> queues_;  // the first is the default stream
  std::vector<std::unique_ptr<Mark>> marks_;
  std::map<void*, size_t> memory_;
  size_t used_ = 0;
  std::atomic<size_t> pinned_{0};
  std::atomic<int> record_fails_{0}, synchronize_fails_{0};
  uint64_t copies_ = 0, made_ = 0, clock_ = 0, drawn_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace penstock
