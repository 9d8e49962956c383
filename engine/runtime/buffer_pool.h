#pragma once
/// Memory for outputs: reused by size class, because the first touch of fresh pages is slow.

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "penstock/tensor.h"

namespace penstock {

/// Size classes are four to a power of two. Buffers keep the pool alive, so that memory may be
/// released on any thread, also after the run. Thread-safe.
class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  /// `account` counts the bytes of what is handed out; it lives as long as the pool.
  explicit BufferPool(std::shared_ptr<ByteAccount> account) : account_(std::move(account)) {}
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// 64-byte aligned; throws std::bad_alloc.
  BufferRef allocate(size_t bytes);

 private:
  struct Block;
  struct Class {
    std::mutex mutex;
    Block* free = nullptr;
  };
  static constexpr int kClasses = 4 * 40;
  static int class_of(size_t bytes);
  static size_t size_of_class(int index);
  static void release(Buffer* buffer);

  std::shared_ptr<ByteAccount> account_;
  std::array<Class, kClasses> classes_;
};

}  // namespace penstock
