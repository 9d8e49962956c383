#pragma once
/// A vector that keeps its first elements in place: what a unit or a slot touches at each firing
/// lies together, so that a firing that moves to another core drags few cache lines along.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace penstock {

/// For trivial types only. Never shrinks. Not movable, as its owners are not.
template <typename T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  SmallVector(const SmallVector&) = delete;
  SmallVector& operator=(const SmallVector&) = delete;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }

  void push_back(T value) {
    if (size_ == room_) grow(size_ + 1);
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  void clear() { size_ = 0; }
  void assign(size_t count, T value) {
    if (count > room_) grow(count);
    std::fill_n(data_, count, value);
    size_ = count;
  }
  void push_front(T value) {
    push_back(value);
    std::rotate(begin(), end() - 1, end());
  }
  void reserve(size_t count) {
    if (count > room_) grow(count);
  }
  void swap(SmallVector& other) {
    std::swap_ranges(few_, few_ + N, other.few_);
    more_.swap(other.more_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
    data_ = more_ ? more_.get() : few_;
    other.data_ = other.more_ ? other.more_.get() : other.few_;
  }

 private:
  [[gnu::noinline]] void grow(size_t count) {
    const size_t room = std::max(count, 2 * room_);
    auto more = std::make_unique<T[]>(room);
    std::copy_n(data_, size_, more.get());
    more_ = std::move(more);
    data_ = more_.get();
    room_ = room;
  }

  T* data_ = few_;
  size_t size_ = 0, room_ = N;
  std::unique_ptr<T[]> more_;
  T few_[N] = {};
};

}  // namespace penstock
