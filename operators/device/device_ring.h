#pragma once
/// The slots of a device that batches are copied into, and the course of each:
///
///   free -> copying (until `copied`) -> held by the consumer -> let go (until `done`) -> free
///
/// Copies are put on a stream of their own, so that one moves while the consumer computes on the
/// one before. Nothing but events orders them with the consumer's stream:
///   - the copy into a slot waits for `done`, the end of the work on what the slot held before;
///   - the consumer's stream waits for `copied`; where it gave none, its thread does, and the work
///     on the batch is taken to be on the default stream;
///   - pinned memory is used again, and a third use of a slot begun, only once `copied` is reached.
/// So the host is never further ahead of the device than two rounds of the slots.

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "device/device_runtime.h"

namespace penstock::operators {

struct Extent;

/// Pictures among the tensors of a batch that are finished on the device.
struct FinishThere {
  kernels::PictureBatch job;  ///< but for where they lie
  size_t pictures = 0;        ///< which of the tensors
  std::optional<size_t> flips;
  std::vector<int64_t> sizes;  ///< of the result
  Layout layout = Layout::kNCHW;
};

/// copy() is for one thread at a time, hand_over() for the consumer's; slots may be let go by any,
/// also after everything else is gone.
class DeviceRing final : public DeviceMemory, public std::enable_shared_from_this<DeviceRing> {
 public:
  DeviceRing(std::shared_ptr<DeviceRuntime> runtime, size_t slots);
  ~DeviceRing() override;
  DeviceRing(const DeviceRing&) = delete;
  DeviceRing& operator=(const DeviceRing&) = delete;

  /// Puts the copies of `sources` on the stream, into the slot that has been free for longest, and
  /// returns tensors of the same shapes there. `place` is kept until the slot is let go; who has
  /// one has a free slot. Blocks while the slot's last copy is not over.
  /// `finish` is what is done there to one of them; null: nothing.
  std::vector<Tensor> copy(const std::vector<const Tensor*>& sources, std::shared_ptr<void> place,
                           const FinishThere* finish = nullptr);

  void hand_over(Buffer& buffer, const DeviceStream* stream) override;
  void read(const Buffer& buffer, size_t offset, void* out, size_t bytes) override;
  bool all_held() const override;
  void check() override;
  size_t buffers() const override { return slots_.size(); }
  DeviceFigures figures() const;
  std::vector<CopyRecord> take_copies();
  void begin_range(const char* name) override { runtime_->begin_range(name); }
  void end_range() override { runtime_->end_range(); }
  /// Waits for the copies that are under way and lets go of what they are made from.
  void finish() noexcept;

 private:
  using Sources = std::vector<BufferRef>;
  struct Use;
  struct Slot;
  Slot& take_slot();
  void retire_copies();
  void move_origin();
  Sources retire(Slot& slot);
  void time_step(Use& use);
  void make_room(Slot& slot, size_t needed);
  void put_on_stream(Slot& slot, const Extent& extent, const FinishThere* finish, size_t result);
  void make_slot();
  void destroy() noexcept;
  void wait_for(Slot& slot, bool work_too);
  uint64_t let_go(Slot& slot) noexcept;
  void is_let_go(Slot& slot, uint64_t at) noexcept;
  static void release(Buffer* buffer);

  std::shared_ptr<DeviceRuntime> runtime_;
  StreamHandle stream_ = nullptr;
  std::vector<std::unique_ptr<Slot>> slots_;
  mutable std::mutex mutex_;  ///< the slots' states and the figures
  uint64_t let_go_count_ = 0;
  DeviceFigures figures_;
  size_t room_ = 0;               ///< bytes of a slot that is made now
  EventHandle origin_ = nullptr;  ///< reached at origin_ns_ of CLOCK_MONOTONIC
  int64_t origin_ns_ = 0;
  EventHandle next_origin_ = nullptr;
  bool moving_origin_ = false;  ///< that one was recorded
  double since_origin_ms_ = 0;  ///< of the last copy that is known to be over
  std::vector<CopyRecord> copies_;
};

}  // namespace penstock::operators
