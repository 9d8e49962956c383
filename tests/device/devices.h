#pragma once
/// The devices that every test of the suite runs on.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "device/device_runtime.h"
#include "support/lazy_device.h"

namespace penstock {

/// A device, and what it can tell of its use.
struct TestedDevice {
  std::string name;
  std::shared_ptr<operators::DeviceRuntime> runtime;
  std::shared_ptr<LazyDevice> lazy;  ///< whose violations count; null: it has none
};

/// The simulated ones (by time, as late as possible, and by seeds), CUDA on a fake runtime, and a
/// real CUDA device where there is one.
std::vector<std::function<TestedDevice()>> tested_devices(const LazyDeviceOptions& options = {});

/// Bytes of a batch: a pattern that its number makes.
std::vector<uint8_t> pattern(uint64_t number, size_t bytes);

}  // namespace penstock
