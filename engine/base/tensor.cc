#include "penstock/tensor.h"

#include <cstdlib>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "base/shape_text.h"

namespace penstock {
namespace {

constexpr size_t kAlignment = 64;

size_t round_up(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

// The header lies in front of the data, in one block.
void release_heap(Buffer* buffer) {
  std::destroy_at(buffer);
  std::free(buffer);
}

struct Wrapped : Buffer {
  void (*deleter)(void*) = nullptr;
};

void release_wrapped(Buffer* buffer) {
  const std::unique_ptr<Wrapped> owner(static_cast<Wrapped*>(buffer));
  owner->uncount();
  if (owner->deleter != nullptr) owner->deleter(owner->context);
}

// Throws when the number of bytes cannot be right.
void check_shape(std::span<const int64_t> shape, DType dtype) {
  if (shape.size() > static_cast<size_t>(Tensor::kMaxDims)) {
    throw std::invalid_argument("a tensor has at most " + std::to_string(Tensor::kMaxDims) +
                                " dimensions, not " + std::to_string(shape.size()));
  }
  int64_t bytes = static_cast<int64_t>(size_of(dtype));
  bool overflow = false;
  bool empty = false;
  for (const int64_t size : shape) {
    if (size < 0) throw std::invalid_argument("a size is negative: " + shape_text(shape));
    if (size == 0) empty = true;
    overflow = __builtin_mul_overflow(bytes, size == 0 ? 1 : size, &bytes) || overflow;
  }
  if (overflow && !empty) throw std::invalid_argument("too many elements: " + shape_text(shape));
}

}  // namespace

std::string shape_text(std::span<const int64_t> shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i > 0) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + "]";
}

BufferRef allocate_buffer(size_t bytes) {
  const size_t header = round_up(sizeof(Buffer));
  if (bytes > SIZE_MAX - header - kAlignment) throw std::bad_alloc();
  void* block = std::aligned_alloc(kAlignment, header + round_up(bytes));
  if (block == nullptr) throw std::bad_alloc();
  Buffer* buffer = std::construct_at(static_cast<Buffer*>(block));
  buffer->data = static_cast<std::byte*>(block) + header;
  buffer->bytes = bytes;
  buffer->release = release_heap;
  return BufferRef::adopt(buffer);
}

BufferRef wrap_memory(void* data, size_t bytes, void* context, void (*deleter)(void*)) {
  auto wrapped = std::make_unique<Wrapped>();
  wrapped->data = data;
  wrapped->bytes = bytes;
  wrapped->context = context;
  wrapped->deleter = deleter;
  wrapped->release = release_wrapped;
  return BufferRef::adopt(wrapped.release());
}

Tensor::Tensor(BufferRef owner, void* data, DType dtype, std::span<const int64_t> shape,
               Layout layout)
    : data_(data), owner_(std::move(owner)), dtype_(dtype), layout_(layout) {
  check_shape(shape, dtype);
  dims_ = static_cast<uint8_t>(shape.size());
  uint64_t stride = 1;  // unsigned: beside a size of 0 the product may overflow, harmlessly
  for (size_t i = shape.size(); i-- > 0;) {
    shape_[i] = shape[i];
    strides_[i] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(shape[i] > 0 ? shape[i] : 1);
  }
}

Tensor Tensor::empty(std::span<const int64_t> shape, DType dtype, Layout layout) {
  check_shape(shape, dtype);
  size_t bytes = size_of(dtype);
  for (const int64_t size : shape) bytes *= static_cast<size_t>(size);
  BufferRef buffer = allocate_buffer(bytes);
  void* data = buffer.get()->data;
  return Tensor(std::move(buffer), data, dtype, shape, layout);
}

int64_t Tensor::numel() const {
  if (!defined()) return 0;
  int64_t count = 1;
  for (const int64_t size : shape()) {
    if (size == 0) return 0;
    count *= size;
  }
  return count;
}

bool Tensor::contiguous() const {
  int64_t expected = 1;
  for (int dim = dims(); dim-- > 0;) {
    if (size(dim) == 0) return true;
    if (size(dim) != 1 && stride(dim) != expected) return false;
    expected *= size(dim);
  }
  return true;
}

void Tensor::set_strides(std::span<const int64_t> strides) {
  if (strides.size() != dims_) {
    throw std::invalid_argument("a tensor of " + std::to_string(dims_) + " dimensions got " +
                                std::to_string(strides.size()) + " strides");
  }
  for (size_t i = 0; i < strides.size(); ++i) strides_[i] = strides[i];
}

std::string Tensor::describe() const {
  if (!defined()) return "empty";
  std::string text = std::string(name_of(dtype_)) + " " + shape_text(shape());
  if (layout_ != Layout::kNone) text += " " + std::string(name_of(layout_));
  return text;
}

size_t bytes_of(const Field& field) {
  if (const auto* tensor = std::get_if<Tensor>(&field)) return tensor->nbytes();
  if (const auto* text = std::get_if<std::string>(&field)) return text->size();
  size_t bytes = 0;
  for (const std::string& text : std::get<std::vector<std::string>>(field)) bytes += text.size();
  return bytes;
}

}  // namespace penstock
