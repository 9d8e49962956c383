#pragma once
/// DLPack views of tensors.

#include <optional>

#include "penstock/dlpack.h"
#include "penstock/tensor.h"

namespace penstock {

DLDataType dlpack_type(DType dtype);
/// Nothing for a type that has no counterpart.
std::optional<DType> dtype_of(DLDataType type);
/// Shape and strides are those inside `tensor`, which must outlive the view.
DLTensor dlpack_view(const Tensor& tensor);
/// Shares the memory; the receiver calls the deleter, on any thread.
DLManagedTensor* dlpack_share(const Tensor& tensor);

}  // namespace penstock
