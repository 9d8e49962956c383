#pragma once
/// Pinned host memory for batches, one block each, registered once and used again.

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device_runtime.h"

namespace penstock::operators {

/// Blocks are as large as the largest item so far; one that turns out larger gets a second block
/// and those that follow are larger. Blocks that are too small are freed when they come back, so
/// that after the first items nothing is allocated any more. Thread-safe.
class PinnedPool final : public ItemMemory, public std::enable_shared_from_this<PinnedPool> {
 public:
  explicit PinnedPool(std::shared_ptr<DeviceRuntime> runtime);
  ~PinnedPool() override;
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  Piece allocate(size_t bytes, const std::shared_ptr<ByteAccount>& account,
                 BufferRef* block) override;
  Device device() const override { return {Device::Kind::kPinned, 0}; }
  /// Of pinned memory, so far.
  uint64_t allocations() const { return allocations_.load(std::memory_order_relaxed); }

 private:
  struct Block;
  std::unique_ptr<Block> take(size_t bytes);
  std::unique_ptr<Block> reuse(size_t bytes, size_t* wanted);
  static void release(Buffer* buffer);

  std::shared_ptr<DeviceRuntime> runtime_;
  std::atomic<uint64_t> allocations_{0};
  std::mutex mutex_;
  size_t wanted_ = 0;  ///< bytes of a block
  std::vector<std::unique_ptr<Block>> free_;
};

}  // namespace penstock::operators
