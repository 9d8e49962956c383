#pragma once
/// Pinned host memory for batches, one block each, registered once and used again.

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device/device_runtime.h"

namespace penstock::operators {

/// Blocks are as large as the first item; where one is larger, those that follow are as large as
/// that, and by a quarter at least. An item that turns out larger than it was said to be when it
/// began gets a second block. Blocks that are too small are freed when they come back. With
/// the first item that is no larger than those before, as many blocks as are expected are there
/// (kMostAhead at most: longer queues fill up as they will), so that nothing is allocated later.
/// Thread-safe.
class PinnedPool final : public BlockMemory, public std::enable_shared_from_this<PinnedPool> {
 public:
  explicit PinnedPool(std::shared_ptr<DeviceRuntime> runtime);
  ~PinnedPool() override;
  PinnedPool(const PinnedPool&) = delete;
  PinnedPool& operator=(const PinnedPool&) = delete;

  void expect(size_t items) override;
  void open(size_t bytes, const std::shared_ptr<ByteAccount>& account, BufferRef* block) override;
  Piece allocate(size_t bytes, const std::shared_ptr<ByteAccount>& account,
                 BufferRef* block) override;
  bool locked() const override { return runtime_->device().kind == Device::Kind::kCuda; }
  Device device() const override { return {Device::Kind::kPinned, 0}; }
  /// Of pinned memory, so far.
  uint64_t allocations() const { return allocations_.load(std::memory_order_relaxed); }

 private:
  struct Block;
  static constexpr size_t kMostAhead = 32;
  void begin(size_t bytes, const std::shared_ptr<ByteAccount>& account, BufferRef* block);
  std::unique_ptr<Block> take(size_t bytes);
  std::unique_ptr<Block> make(size_t bytes);
  std::unique_ptr<Block> make_at_least(size_t bytes, size_t wanted);
  void make_ahead(size_t count, size_t bytes) noexcept;
  void keep(std::unique_ptr<Block> block);
  static void release(Buffer* buffer);

  std::shared_ptr<DeviceRuntime> runtime_;
  std::atomic<uint64_t> allocations_{0};
  std::mutex mutex_;
  size_t wanted_ = 0;                         ///< bytes of a block
  size_t expected_ = 1;                       ///< blocks
  size_t made_ = 0;                           ///< of wanted_ bytes
  std::vector<std::unique_ptr<Block>> free_;  ///< of no less
};

}  // namespace penstock::operators
