#pragma once
/// Batches in pinned memory.

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/pinned_pool.h"
#include "device/torch_pinned.h"
#include "penstock/operator.h"

namespace penstock::operators {

/// Where pinned memory cannot be had, batches pass through as they are, and a note says so.
class Pin final : public Operator {
 public:
  explicit Pin(PinnedFinder find) : find_pinned_(std::move(find)) {}

  void infer(FieldTable& fields) override;
  void link(const Operator* reader) override;
  std::vector<std::string> notes() const override;
  void process(Context& ctx) override;
  std::shared_ptr<ItemMemory> output_memory() const override { return memory_; }
  DeviceFigures device_figures() const override;

 private:
  PinnedFinder find_pinned_;
  std::shared_ptr<PinnedPool> pool_;    ///< in front of a device_copy
  std::shared_ptr<ItemMemory> memory_;  ///< null: batches are not pinned
  std::string refusal_;                 ///< then, why
  std::vector<int> fields_;             ///< that may hold tensors
  std::atomic<uint64_t> copied_{0};
};

/// The operator, with pinned memory for a consumer's own copies as `find` finds it.
OperatorDef make_pin_in(PinnedFinder find);

}  // namespace penstock::operators
