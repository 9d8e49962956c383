#pragma once
/// The last node before the consumer: batches move to a device while the one before is computed on.

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "device/device_ring.h"
#include "device/find_device.h"
#include "device/finish.h"
#include "penstock/operator.h"

namespace penstock::operators {

/// Where no device is wanted, or none was found for `auto`, batches pass through as they are.
class DeviceCopy final : public Operator {
 public:
  DeviceCopy(const Params& params, const DeviceFinder& find);
  ~DeviceCopy() override;
  DeviceCopy(const DeviceCopy&) = delete;
  DeviceCopy& operator=(const DeviceCopy&) = delete;

  void infer(FieldTable& fields) override;
  std::vector<std::string> notes() const override;
  void process(Context& ctx) override;
  size_t output_pool() const override { return runtime_ != nullptr ? slots_ : 0; }
  DeviceFigures device_figures() const override;
  std::vector<CopyRecord> take_copies() override;
  /// Null: batches stay on the CPU.
  const std::shared_ptr<DeviceRuntime>& runtime() const { return runtime_; }

 private:
  void finish_here(Context& ctx) const;
  FinishThere finish_there(const std::vector<const Tensor*>& sources,
                           const std::vector<int>& fields) const;

  size_t slots_;
  std::optional<Finish> finish_;  ///< of its pictures
  std::shared_ptr<DeviceRuntime> runtime_;
  std::string refusal_;                      ///< why `auto` found none
  std::vector<int> fields_;                  ///< that may hold tensors
  std::shared_ptr<DeviceRing> ring_;         ///< made at the first batch
  std::atomic<DeviceRing*> there_{nullptr};  ///< the same, for other threads
};

/// The operator on devices that `find` finds.
OperatorDef make_device_copy_on(DeviceFinder find);

}  // namespace penstock::operators
