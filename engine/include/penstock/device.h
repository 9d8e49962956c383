#pragma once
/// Memory that is not the heap's: pinned memory that batches are written into, and memory of a
/// device that they are copied to. For operators like `pin` and `device_copy`; a training loop
/// needs DeviceStream only.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "penstock/tensor.h"

namespace penstock {

/// A stream of the consumer's: the work that it puts on it after next() sees the batch whole.
struct DeviceStream {
  Device device;
  void* handle = nullptr;  ///< a cudaStream_t; null: the device's default stream
};

/// Copies to a device and what they cost, since their operator was made. Times of copies and steps
/// are by the device's own events.
struct DeviceFigures {
  uint64_t copies = 0;     ///< batches
  uint64_t transfers = 0;  ///< single copies: one a batch where its fields lie together
  uint64_t bytes = 0;
  uint64_t timed = 0;           ///< batches whose copy is over and in the times that follow
  int64_t copy_ns = 0;          ///< from the begin to the end of each copy
  int64_t exposed_ns = 0;       ///< that the consumer, or its stream, waited for copies to end
  uint64_t steps = 0;           ///< of the consumer that were timed on its stream
  int64_t step_ns = 0;          ///< from the batch's arrival there to when it was let go
  int64_t waited_ns = 0;        ///< in bodies, for the device
  uint64_t allocations = 0;     ///< of pinned and device memory
  uint64_t copied_on_host = 0;  ///< bytes that were moved to pinned memory by a copy of their own
};
DeviceFigures operator-(const DeviceFigures& end, const DeviceFigures& begin);

/// One batch's way to a device, in nanoseconds of CLOCK_MONOTONIC by the device's clock.
struct CopyRecord {
  int64_t begin_ns = 0, end_ns = 0;
};

/// Memory for items whose fields lie together, each item in one block. Thread-safe; blocks keep
/// what they need of it alive.
class ItemMemory {
 public:
  struct Piece {
    BufferRef owner;
    void* data = nullptr;
  };
  virtual ~ItemMemory() = default;
  /// The plan has room for so many items of it at a time. Called once, before allocate().
  virtual void expect(size_t items) { (void)items; }
  /// `bytes` bytes of the item whose block is `block`: null before its first piece. 256-byte
  /// aligned, on `account` until the block is delivered or freed. Throws std::bad_alloc,
  /// MachineError.
  virtual Piece allocate(size_t bytes, const std::shared_ptr<ByteAccount>& account,
                         BufferRef* block) = 0;
  /// Where it lies.
  virtual Device device() const = 0;
};

/// ItemMemory in blocks that are made for a whole item. A class of its own, since libraries that
/// exist have ItemMemory as it is.
class BlockMemory : public ItemMemory {
 public:
  /// An item of about so many bytes begins, each of its fields rounded up to 256: its block, on
  /// `account` like its pieces. Throws like allocate().
  virtual void open(size_t bytes, const std::shared_ptr<ByteAccount>& account,
                    BufferRef* block) = 0;
  /// Whether the system locks its pages, of which it may allow a process only so many.
  virtual bool locked() const = 0;
};

/// What the engine asks of memory on a device; the buffers of one node have one in common.
class DeviceMemory {
 public:
  virtual ~DeviceMemory() = default;
  /// The consumer gets what lies in `buffer`: its stream waits for the copy, the calling thread
  /// does where there is no stream. On the consumer's thread; throws what went wrong with the copy.
  virtual void hand_over(Buffer& buffer, const DeviceStream* stream) = 0;
  /// Copies bytes of it to the heap and waits. Any thread, while the buffer is held.
  virtual void read(const Buffer& buffer, size_t offset, void* out, size_t bytes) = 0;
  /// The consumer holds every buffer that there is, or is about to let go of it: until then another
  /// one cannot come. Any thread.
  virtual bool all_held() const = 0;
  /// How many there are.
  virtual size_t buffers() const = 0;
  /// A stretch of the consumer's work with a name, for the profiler of the device. By one thread,
  /// nested.
  virtual void begin_range(const char* name) = 0;
  virtual void end_range() = 0;
  /// Waits for all copies that have begun, and not for the work on them, and throws what went wrong
  /// with one. On the consumer's thread.
  virtual void check() = 0;
};

/// The elements of a tensor in memory that the CPU can read, dense or not as they are: itself where
/// it is such, else a copy. Waits for the device.
Tensor on_host(const Tensor& tensor);

}  // namespace penstock
