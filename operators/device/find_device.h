#pragma once
/// From a name in YAML to a device.

#include <functional>
#include <memory>
#include <string>

#include "device/cuda_functions.h"
#include "device/device_runtime.h"

namespace penstock::operators {

struct FoundDevice {
  std::shared_ptr<DeviceRuntime> runtime;  ///< null: there is none
  std::string reason;                      ///< then, in words
};

/// `name`: "cuda:0" and so on, "cuda" (the first), "simulated". `bytes_per_s`: of the link of a
/// simulated device.
FoundDevice find_device(const std::string& name, double bytes_per_s);
/// The same, for tests that bring a device of their own.
using DeviceFinder = std::function<FoundDevice(const std::string& name, double bytes_per_s)>;

/// That device of CUDA's.
FoundDevice cuda_device(const CudaFunctions& cuda, int index);

/// Whether that can be a device's name: "auto", "cpu" and those of find_device().
bool is_device_name(const std::string& name);

}  // namespace penstock::operators
