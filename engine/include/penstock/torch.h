#pragma once
/// Tensors to and from at::Tensor without a copy. For programs and operator libraries that link
/// libtorch themselves: the engine does not, and this header is inline for that reason.
///
///     penstock::Next next = run.next();
///     at::Tensor images = penstock::to_torch(next.batch.tensor("image"));
///
/// Both directions share the memory: what one side writes, the other sees. The memory lives until
/// both are gone, on whatever thread and however long after the run.

#include <ATen/core/Tensor.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "penstock/device.h"
#include "penstock/tensor.h"

namespace penstock {

/// The element type in torch; the ten of Penstock all have one.
inline at::ScalarType torch_dtype(DType dtype) {
  switch (dtype) {
    case DType::kUInt8:
      return at::kByte;
    case DType::kInt8:
      return at::kChar;
    case DType::kUInt16:
      return at::kUInt16;
    case DType::kInt16:
      return at::kShort;
    case DType::kInt32:
      return at::kInt;
    case DType::kInt64:
      return at::kLong;
    case DType::kFloat16:
      return at::kHalf;
    case DType::kFloat32:
      return at::kFloat;
    case DType::kFloat64:
      return at::kDouble;
    case DType::kBool:
      return at::kBool;
  }
  throw std::invalid_argument("element type " + std::to_string(static_cast<int>(dtype)) +
                              " is not one of Penstock's");
}

/// The element type in Penstock; throws std::invalid_argument for one that has no counterpart
/// (bfloat16, complex, quantised ...).
inline DType dtype_from_torch(at::ScalarType type) {
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
    if (torch_dtype(static_cast<DType>(i)) == type) return static_cast<DType>(i);
  }
  throw std::invalid_argument(std::string("torch's element type ") + at::toString(type) +
                              " has no counterpart in Penstock; convert the tensor first, for "
                              "example with to(at::kFloat)");
}

/// The same memory as an at::Tensor with the same sizes, strides and device. The dimensions stay in
/// their order: a NHWC batch is [N, H, W, C] (permute({0, 3, 1, 2}) makes it torch's
/// channels_last). A tensor that is not defined() gives an undefined one. A tensor without an owner
/// is only borrowed: its memory must outlive the result. May be called by any thread.
inline at::Tensor to_torch(const Tensor& tensor) {
  if (!tensor.defined()) return {};
  const bool on_device = tensor.device().kind == Device::Kind::kCuda;
  const at::Device device =
      on_device ? at::Device(at::kCUDA, tensor.device().index) : at::Device(at::kCPU);
  const at::IntArrayRef sizes(tensor.shape().data(), tensor.shape().size());
  const at::IntArrayRef strides(tensor.strides().data(), tensor.strides().size());
  auto maker = at::for_blob(const_cast<void*>(tensor.data()), sizes);
  if (Buffer* buffer = tensor.owner().get(); buffer != nullptr) {
    buffer->refs.fetch_add(1, std::memory_order_relaxed);  // given back by the deleter
    maker.context(buffer,
                  [](void* owned) { BufferRef::adopt(static_cast<Buffer*>(owned)).reset(); });
  }
  return maker.strides(strides)
      .target_device(device)
      .options(at::TensorOptions(device).dtype(torch_dtype(tensor.dtype())))
      .make_tensor();
}

/// The same memory as a Penstock tensor; torch has no layout tags, so the caller gives it. An
/// undefined tensor gives an undefined one. Throws std::invalid_argument for what a plain strided
/// view cannot say: sparse tensors, pending conjugation or negation, more than Tensor::kMaxDims
/// dimensions, devices other than CPU and CUDA, element types without counterpart. Gradients are
/// not followed. May be called by any thread.
inline Tensor from_torch(const at::Tensor& tensor, Layout layout = Layout::kNone) {
  if (!tensor.defined()) return {};
  if (tensor.layout() != at::kStrided) {
    throw std::invalid_argument("a sparse torch tensor has no plain memory; use to_dense() first");
  }
  if (tensor.is_conj() || tensor.is_neg()) {
    throw std::invalid_argument(
        "a torch tensor with a pending conjugation or negation has to be resolved first "
        "(resolve_conj(), resolve_neg())");
  }
  if (!tensor.is_cpu() && !tensor.is_cuda()) {
    throw std::invalid_argument("a torch tensor on " + tensor.device().str() +
                                " cannot be used; move it to the CPU first");
  }
  if (tensor.dim() > Tensor::kMaxDims) {
    throw std::invalid_argument("a torch tensor with " + std::to_string(tensor.dim()) +
                                " dimensions cannot be used; at most " +
                                std::to_string(Tensor::kMaxDims) + " are possible");
  }
  const DType dtype = dtype_from_torch(tensor.scalar_type());
  auto kept = std::make_unique<at::Tensor>(tensor);
  const at::Storage& storage = kept->storage();
  BufferRef owner = wrap_memory(storage.mutable_data(), storage.nbytes(), kept.get(),
                                [](void* owned) { delete static_cast<at::Tensor*>(owned); });
  (void)kept.release();  // the buffer has it now
  const at::IntArrayRef sizes = tensor.sizes();
  Tensor result(std::move(owner), tensor.mutable_data_ptr(), dtype, {sizes.data(), sizes.size()},
                layout);
  result.set_strides({tensor.strides().data(), tensor.strides().size()});
  if (tensor.is_cuda()) {
    result.set_device({Device::Kind::kCuda, static_cast<int8_t>(tensor.device().index())});
  }
  return result;
}

/// A CUDA stream of torch's as Run::next() takes it.
inline DeviceStream device_stream(const c10::Stream& stream) {
  return {{Device::Kind::kCuda, static_cast<int8_t>(stream.device_index())},
          stream.native_handle()};
}

/// The stream that torch puts the calling thread's work on a CUDA device on.
inline c10::Stream current_stream(at::Device device) {
  return c10::impl::VirtualGuardImpl(device.type()).getStream(device);
}

}  // namespace penstock
