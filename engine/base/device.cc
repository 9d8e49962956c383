#include "penstock/device.h"

#include <stdexcept>

namespace penstock {

DeviceFigures operator-(const DeviceFigures& end, const DeviceFigures& begin) {
  return {.copies = end.copies - begin.copies,
          .transfers = end.transfers - begin.transfers,
          .bytes = end.bytes - begin.bytes,
          .timed = end.timed - begin.timed,
          .copy_ns = end.copy_ns - begin.copy_ns,
          .exposed_ns = end.exposed_ns - begin.exposed_ns,
          .steps = end.steps - begin.steps,
          .step_ns = end.step_ns - begin.step_ns,
          .waited_ns = end.waited_ns - begin.waited_ns,
          .allocations = end.allocations - begin.allocations,
          .copied_on_host = end.copied_on_host - begin.copied_on_host};
}

Tensor on_host(const Tensor& tensor) {
  if (!tensor.defined() || tensor.device().is_host()) return tensor;
  const Buffer* buffer = tensor.owner().get();
  if (buffer == nullptr || buffer->memory == nullptr || !tensor.contiguous()) {
    throw std::invalid_argument("a tensor on a device, " + tensor.describe() +
                                ", cannot be read by the CPU");
  }
  Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype(), tensor.layout());
  const auto offset =
      static_cast<size_t>(tensor.data_as<char>() - static_cast<char*>(buffer->data));
  buffer->memory->read(*buffer, offset, copy.mutable_data(), tensor.nbytes());
  return copy;
}

}  // namespace penstock
