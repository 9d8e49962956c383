#include "base/dlpack_view.h"

#include <array>
#include <memory>

namespace penstock {
namespace {

constexpr std::array<DLDataType, 10> kTypes = {{
    {kDLUInt, 8, 1},    // kUInt8
    {kDLInt, 8, 1},     // kInt8
    {kDLUInt, 16, 1},   // kUInt16
    {kDLInt, 16, 1},    // kInt16
    {kDLInt, 32, 1},    // kInt32
    {kDLInt, 64, 1},    // kInt64
    {kDLFloat, 16, 1},  // kFloat16
    {kDLFloat, 32, 1},  // kFloat32
    {kDLFloat, 64, 1},  // kFloat64
    {kDLBool, 8, 1},    // kBool
}};

DLDevice device_of(const Tensor& tensor) {
  switch (tensor.device().kind) {
    case Device::Kind::kCpu:
    case Device::Kind::kSimulated:
      break;
    case Device::Kind::kPinned:
      return {kDLCUDAHost, 0};
    case Device::Kind::kCuda:
      return {kDLCUDA, tensor.device().index};
  }
  return {kDLCPU, 0};
}

/// A tensor that is shared, with the structure that speaks of it.
struct Shared {
  Tensor tensor;
  DLManagedTensor managed{};
};

}  // namespace

DLDataType dlpack_type(DType dtype) { return kTypes[static_cast<size_t>(dtype)]; }

std::optional<DType> dtype_of(DLDataType type) {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    const DLDataType& known = kTypes[i];
    if (known.code == type.code && known.bits == type.bits && known.lanes == type.lanes) {
      return static_cast<DType>(i);
    }
  }
  return std::nullopt;
}

DLTensor dlpack_view(const Tensor& tensor) {
  DLTensor view{};
  view.data = const_cast<void*>(tensor.data());
  view.device = device_of(tensor);
  view.ndim = tensor.dims();
  view.dtype = dlpack_type(tensor.dtype());
  view.shape = const_cast<int64_t*>(tensor.shape().data());
  view.strides = const_cast<int64_t*>(tensor.strides().data());
  return view;
}

DLManagedTensor* dlpack_share(const Tensor& tensor) {
  auto shared = std::make_unique<Shared>();
  shared->tensor = tensor;
  shared->managed.dl_tensor = dlpack_view(shared->tensor);
  shared->managed.manager_ctx = shared.get();
  shared->managed.deleter = [](DLManagedTensor* self) {
    delete static_cast<Shared*>(self->manager_ctx);
  };
  return &shared.release()->managed;
}

}  // namespace penstock
