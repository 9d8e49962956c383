#include "device/devices.h"

#include "device/cuda_device.h"
#include "device/find_device.h"
#include "device/timed_device.h"
#include "penstock/random.h"
#include "support/fake_cuda.h"

namespace penstock {
namespace {

TestedDevice lazy_device(const std::string& name, const LazyDeviceOptions& options) {
  auto lazy = std::make_shared<LazyDevice>(options);
  return {name, lazy, lazy};
}

TestedDevice fake_device(LazyDeviceOptions options) {
  options.kind = Device::Kind::kCuda;
  auto lazy = std::make_shared<LazyDevice>(options);
  const operators::CudaFunctions& cuda = fake_cuda({.device = lazy.get()});
  return {"CUDA on a fake runtime", std::make_shared<operators::CudaDevice>(cuda, 0), lazy};
}

}  // namespace

std::vector<std::function<TestedDevice()>> tested_devices(const LazyDeviceOptions& options) {
  constexpr uint64_t kSeeds = 20;
  std::vector<std::function<TestedDevice()>> devices;
  devices.push_back([options] { return lazy_device("as late as possible", options); });
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    LazyDeviceOptions seeded = options;
    seeded.seed = seed;
    devices.push_back(
        [seeded, seed] { return lazy_device("order of seed " + std::to_string(seed), seeded); });
  }
  devices.push_back([options] { return fake_device(options); });
  const bool injects = options.failing_copy != 0 || options.lost_after != 0;
  if (injects) return devices;  // the others cannot be told to fail
  devices.push_back([] {
    operators::TimedDeviceOptions fast{.bytes_per_s = 2e9, .latency_ns = 1000};
    return TestedDevice{"by time", std::make_shared<operators::TimedDevice>(fast), nullptr};
  });
  if (operators::find_device("cuda:0", 0).runtime != nullptr) {
    devices.push_back([] {
      return TestedDevice{"CUDA", operators::find_device("cuda:0", 0).runtime, nullptr};
    });
  }
  return devices;
}

std::vector<uint8_t> pattern(uint64_t number, size_t bytes) {
  std::vector<uint8_t> values(bytes);
  for (size_t i = 0; i < bytes; ++i) values[i] = static_cast<uint8_t>(mix64(number, i));
  return values;
}

}  // namespace penstock
