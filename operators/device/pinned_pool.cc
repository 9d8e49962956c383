#include "device/pinned_pool.h"

#include <algorithm>
#include <utility>

namespace penstock::operators {
namespace {

constexpr size_t kAlign = 256;  // of fields within a block, as allocations of CUDA are

size_t aligned(size_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

}  // namespace

struct PinnedPool::Block {
  explicit Block(std::shared_ptr<DeviceRuntime> on, size_t bytes)
      : runtime(std::move(on)), capacity(bytes) {
    buffer.data = runtime->allocate_pinned(bytes);
    buffer.release = &PinnedPool::release;
    buffer.context = this;
  }
  ~Block() { runtime->free_pinned(buffer.data); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  Buffer buffer;
  std::shared_ptr<DeviceRuntime> runtime;
  size_t capacity = 0, used = 0;
  std::shared_ptr<PinnedPool> pool;      // while handed out
  std::shared_ptr<ByteAccount> account;  // the same
};

PinnedPool::PinnedPool(std::shared_ptr<DeviceRuntime> runtime) : runtime_(std::move(runtime)) {}
PinnedPool::~PinnedPool() = default;

ItemMemory::Piece PinnedPool::allocate(size_t bytes, const std::shared_ptr<ByteAccount>& account,
                                       BufferRef* block) {
  const size_t room = aligned(bytes);
  if (room < bytes) throw std::bad_alloc();
  auto* open = *block ? static_cast<Block*>(block->get()->context) : nullptr;
  if (open == nullptr || open->capacity - open->used < room) {
    const size_t before = open == nullptr ? 0 : open->used;
    open = take(before + room).release();  // until the buffer's last reference goes
    open->account = account;
    open->buffer.account = account.get();
    open->buffer.counted.store(account != nullptr, std::memory_order_relaxed);
    *block = BufferRef::adopt(&open->buffer);
  }
  Piece piece{*block, static_cast<char*>(open->buffer.data) + open->used};
  open->used += room;
  open->buffer.bytes += bytes;
  if (account != nullptr) account->add(bytes);
  return piece;
}

// One that is large enough; smaller ones go.
std::unique_ptr<PinnedPool::Block> PinnedPool::reuse(size_t bytes, size_t* wanted) {
  std::vector<std::unique_ptr<Block>> outgrown;  // freed without the lock
  const std::lock_guard lock(mutex_);
  wanted_ = std::max(wanted_, bytes);
  *wanted = wanted_;
  while (!free_.empty()) {
    std::unique_ptr<Block> last = std::move(free_.back());
    free_.pop_back();
    if (last->capacity >= wanted_) return last;
    outgrown.push_back(std::move(last));
  }
  return nullptr;
}

std::unique_ptr<PinnedPool::Block> PinnedPool::take(size_t bytes) {
  size_t wanted = 0;
  std::unique_ptr<Block> block = reuse(bytes, &wanted);
  if (block == nullptr) {
    block = std::make_unique<Block>(runtime_, wanted);
    allocations_.fetch_add(1, std::memory_order_relaxed);
  }
  block->used = 0;
  block->buffer.bytes = 0;
  block->buffer.refs.store(1, std::memory_order_relaxed);
  block->pool = shared_from_this();
  return block;
}

void PinnedPool::release(Buffer* buffer) {
  std::unique_ptr<Block> block(static_cast<Block*>(buffer->context));
  buffer->uncount();
  block->account.reset();
  const std::shared_ptr<PinnedPool> pool = std::move(block->pool);
  const std::lock_guard lock(pool->mutex_);
  if (block->capacity >= pool->wanted_) pool->free_.push_back(std::move(block));
}

}  // namespace penstock::operators
