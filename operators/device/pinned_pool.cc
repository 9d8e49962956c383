#include "device/pinned_pool.h"

#include <algorithm>
#include <utility>

#include "device/extent.h"

namespace penstock::operators {
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

void PinnedPool::expect(size_t items) {
  const std::lock_guard lock(mutex_);
  expected_ = std::clamp<size_t>(items, 1, kMostAhead);
}

void PinnedPool::begin(size_t bytes, const std::shared_ptr<ByteAccount>& account,
                       BufferRef* block) {
  Block* const taken = take(bytes).release();  // until the buffer's last reference goes
  taken->account = account;
  taken->buffer.account = account.get();
  taken->buffer.counted.store(account != nullptr, std::memory_order_relaxed);
  *block = BufferRef::adopt(&taken->buffer);
}

void PinnedPool::open(size_t bytes, const std::shared_ptr<ByteAccount>& account, BufferRef* block) {
  const size_t room = aligned(bytes);
  if (bytes > 0 && room >= bytes) begin(room, account, block);
}

ItemMemory::Piece PinnedPool::allocate(size_t bytes, const std::shared_ptr<ByteAccount>& account,
                                       BufferRef* block) {
  const size_t room = aligned(bytes);
  if (room < bytes) throw std::bad_alloc();
  auto* open = *block ? static_cast<Block*>(block->get()->context) : nullptr;
  if (open == nullptr || open->capacity - open->used < room) {
    const size_t before = open == nullptr ? 0 : open->used;
    begin(before + room, account, block);
    open = static_cast<Block*>(block->get()->context);
  }
  Piece piece{*block, static_cast<char*>(open->buffer.data) + open->used};
  open->used += room;
  open->buffer.bytes += bytes;
  if (account != nullptr) account->add(bytes);
  return piece;
}

std::unique_ptr<PinnedPool::Block> PinnedPool::make(size_t bytes) {
  auto block = std::make_unique<Block>(runtime_, bytes);
  allocations_.fetch_add(1, std::memory_order_relaxed);
  return block;
}

// Where there is no memory to spare, later ones are no larger than they must be.
std::unique_ptr<PinnedPool::Block> PinnedPool::make_at_least(size_t bytes, size_t wanted) {
  try {
    return make(wanted);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (wanted == bytes || wanted_ != wanted) throw;
    wanted_ = bytes;
  }
  return make(bytes);
}

// Where there is no memory for what is not needed yet, the run may do without.
void PinnedPool::make_ahead(size_t count, size_t bytes) noexcept {
  try {
    while (count-- > 0) keep(make(bytes));
  } catch (...) {  // a block that is needed says what is wrong
    return;
  }
}

void PinnedPool::keep(std::unique_ptr<Block> block) {
  const std::lock_guard lock(mutex_);
  if (block->capacity >= wanted_) free_.push_back(std::move(block));
}

std::unique_ptr<PinnedPool::Block> PinnedPool::take(size_t bytes) {
  std::vector<std::unique_ptr<Block>> outgrown;  // freed without the lock
  std::unique_ptr<Block> block;
  size_t wanted = 0, ahead = 0;
  {
    const std::lock_guard lock(mutex_);
    const bool larger = bytes > wanted_;
    if (larger) {
      wanted_ = aligned(grown(wanted_, bytes));
      made_ = 0;
      outgrown.swap(free_);
    }
    if (!free_.empty()) {
      block = std::move(free_.back());
      free_.pop_back();
    } else {
      ++made_;
    }
    const size_t made = larger ? made_ : std::max(made_, expected_);
    ahead = made - std::exchange(made_, made);
    wanted = wanted_;
  }
  if (block == nullptr) block = make_at_least(bytes, wanted);
  make_ahead(ahead, wanted);
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
  pool->keep(std::move(block));
}

}  // namespace penstock::operators
