#include "device/pin.h"

#include <utility>

#include "builtin.h"
#include "collate/pack.h"
#include "device/device_copy.h"

namespace penstock::operators {

void Pin::link(const Operator* reader) {
  if (const auto* copy = dynamic_cast<const DeviceCopy*>(reader)) {
    if (copy->runtime() == nullptr) return;  // which says so itself
    pool_ = std::make_shared<PinnedPool>(copy->runtime());
    memory_ = pool_;
    return;
  }
  PinnedMemory found = find_pinned_();
  memory_ = std::move(found.memory);
  refusal_ = std::move(found.reason);
}

std::vector<std::string> Pin::notes() const {
  if (refusal_.empty()) return {};
  return {"batches are not pinned: " + refusal_};
}

void Pin::infer(FieldTable& fields) {
  fields_.clear();
  for (int i = 0; i < fields.size(); ++i) {
    if (!fields.at(i).name.empty() && !fields.at(i).is_text) fields_.push_back(i);
  }
}

void Pin::process(Context& ctx) {
  if (memory_ == nullptr) return;
  for (const int field : fields_) {
    const auto* tensor = std::get_if<Tensor>(&ctx.in().fields[static_cast<size_t>(field)]);
    if (tensor == nullptr || !tensor->defined()) continue;
    if (tensor->device().kind != Device::Kind::kCpu) continue;  // the node before wrote it there
    Tensor& pinned = ctx.output(field, tensor->shape(), tensor->dtype(), tensor->layout());
    copy_dense(*tensor, pinned.mutable_data());
    copied_.fetch_add(tensor->nbytes(), std::memory_order_relaxed);
  }
}

DeviceFigures Pin::device_figures() const {
  DeviceFigures figures;
  figures.copied_on_host = copied_.load(std::memory_order_relaxed);
  if (pool_ != nullptr) figures.allocations = pool_->allocations();
  return figures;
}

OperatorDef make_pin_in(PinnedFinder find) {
  Schema schema(
      "pin", Kind::kMap,
      "Brings batches into pinned memory, from where they move to a device without a "
      "detour. A collate right before it writes its batches there itself. In front of a "
      "device_copy the fields of a batch lie in one block; without one, torch's own pinned "
      "memory is used, so that a `.to(device, non_blocking)` of the consumer's is safe.");
  schema.reads("*", "tensors")
      .writes("*", "the same in pinned memory; unchanged where there is no accelerator")
      .example("{op: pin}");
  return {.schema = std::move(schema),
          .make = [find = std::move(find)](const Params&) { return std::make_unique<Pin>(find); }};
}

OperatorDef make_pin() { return make_pin_in(find_torch_pinned); }

}  // namespace penstock::operators
