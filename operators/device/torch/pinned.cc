// The library penstock_torch: pinned memory of torch's allocator, opened where `pin` is the last
// node and there is a CUDA device.

#include "device/torch/pinned.h"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <exception>
#include <memory>

namespace penstock::operators {
namespace {

void* allocate(size_t bytes, void** owner, std::string* reason) {
  try {
    auto tensor = std::make_unique<at::Tensor>(
        at::empty({static_cast<int64_t>(bytes)},
                  at::TensorOptions().dtype(at::kByte).device(at::kCPU).pinned_memory(true)));
    void* const data = tensor->mutable_data_ptr();
    *owner = tensor.release();
    return data;
  } catch (const std::exception& error) {
    *reason = error.what();
    return nullptr;
  }
}

constexpr TorchPinnedFunctions kFunctions = {
    .has_cuda = [] { return at::globalContext().hasCUDA(); },
    .allocate = &allocate,
    .free =
        [](void* owner) {
          const std::unique_ptr<at::Tensor> ended(static_cast<at::Tensor*>(owner));
        },
};

}  // namespace
}  // namespace penstock::operators

extern "C" __attribute__((visibility("default"))) const penstock::operators::TorchPinnedFunctions*
penstock_torch_pinned() {
  return &penstock::operators::kFunctions;
}
