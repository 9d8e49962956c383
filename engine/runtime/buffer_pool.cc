#include "runtime/buffer_pool.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace penstock {

// Header and payload are one allocation; the payload begins at the next 64-byte border.
struct BufferPool::Block {
  Buffer buffer;
  std::shared_ptr<BufferPool> pool;  // set while handed out
  Block* next = nullptr;
  int size_class = 0;
};

namespace {
constexpr size_t kHeader = 128;
constexpr size_t kSmallest = 64;
}  // namespace

int BufferPool::class_of(size_t bytes) {
  const size_t rounded = std::max(bytes, kSmallest);
  const int power = std::bit_width(rounded - 1);  // rounded <= 2^power
  if (power <= 6) return 0;
  const size_t quarter = size_t{1} << (power - 3);
  const size_t base = size_t{1} << (power - 1);
  const auto step = static_cast<int>((rounded - base + quarter - 1) / quarter);  // 1..4
  return (power - 7) * 4 + step;
}

size_t BufferPool::size_of_class(int index) {
  if (index == 0) return kSmallest;
  const int power = (index - 1) / 4 + 7;
  const int step = (index - 1) % 4 + 1;
  return (size_t{1} << (power - 1)) + static_cast<size_t>(step) * (size_t{1} << (power - 3));
}

BufferPool::~BufferPool() {
  for (Class& c : classes_) {
    while (c.free != nullptr) {
      Block* block = std::exchange(c.free, c.free->next);
      std::destroy_at(block);
      std::free(block);
    }
  }
}

BufferRef BufferPool::allocate(size_t bytes) {
  static_assert(sizeof(Block) <= kHeader);
  const int index = class_of(bytes);
  if (index >= kClasses) throw std::bad_alloc();
  Class& c = classes_[static_cast<size_t>(index)];
  Block* block = nullptr;
  {
    std::lock_guard lock(c.mutex);
    if (c.free != nullptr) block = std::exchange(c.free, c.free->next);
  }
  if (block == nullptr) {
    constexpr size_t kAlign = 64;
    const size_t size = (kHeader + size_of_class(index) + kAlign - 1) / kAlign * kAlign;
    void* memory = std::aligned_alloc(kAlign, size);
    if (memory == nullptr) throw std::bad_alloc();
    block = std::construct_at(static_cast<Block*>(memory));
    block->size_class = index;
    block->buffer.data = static_cast<char*>(memory) + kHeader;
    block->buffer.release = &BufferPool::release;
    block->buffer.context = block;
  }
  Buffer& buffer = block->buffer;
  buffer.refs.store(1, std::memory_order_relaxed);
  buffer.bytes = bytes;
  buffer.account = account_.get();
  buffer.counted.store(true, std::memory_order_relaxed);
  account_->add(bytes);
  block->pool = shared_from_this();
#ifndef NDEBUG
  std::memset(buffer.data, 0xA5, bytes);
#endif
  return BufferRef::adopt(&buffer);
}

void BufferPool::release(Buffer* buffer) {
  auto* block = static_cast<Block*>(buffer->context);
  buffer->uncount();
  const std::shared_ptr<BufferPool> pool = std::move(block->pool);
  Class& c = pool->classes_[static_cast<size_t>(block->size_class)];
  std::lock_guard lock(c.mutex);
  block->next = std::exchange(c.free, block);
}

}  // namespace penstock
