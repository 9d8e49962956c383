#include "device/find_device.h"

#include <charconv>
#include <optional>

#include "device/beside.h"
#include "device/cuda_device.h"
#include "device/timed_device.h"

namespace penstock::operators {
namespace {

constexpr int kMostDevices = 127;  // as Device::index counts them

/// The device's number; nothing: it is no name of a CUDA device.
std::optional<int> cuda_index(const std::string& name) {
  if (name == "cuda") return 0;
  if (!name.starts_with("cuda:")) return std::nullopt;
  int index = 0;
  const char* const begin = name.data() + 5;
  const char* const end = name.data() + name.size();
  const auto [parsed, error] = std::from_chars(begin, end, index);
  if (begin == end || error != std::errc() || parsed != end || index < 0 || index > kMostDevices) {
    return std::nullopt;
  }
  return index;
}

}  // namespace

bool is_device_name(const std::string& name) {
  return name == "auto" || name == "cpu" || name == "simulated" || cuda_index(name).has_value();
}

FoundDevice cuda_device(const CudaFunctions& cuda, int index) {
  const std::string refusal = cuda_refusal(cuda);
  if (!refusal.empty()) return {nullptr, refusal};
  const int count = cuda_device_count(cuda);
  if (index < count) return {std::make_shared<CudaDevice>(cuda, index), ""};
  return {nullptr, "there is no device " + std::to_string(index) + ": the machine has " +
                       (count == 1 ? "one, cuda:0"
                                   : std::to_string(count) +
                                         ", cuda:0 to cuda:" + std::to_string(count - 1))};
}

FoundDevice find_device(const std::string& name, double bytes_per_s) {
  if (name == "simulated") {
    return {std::make_shared<TimedDevice>(TimedDeviceOptions{.bytes_per_s = bytes_per_s}), ""};
  }
  const Beside found = find_beside("libpenstock_cuda.so", "penstock_cuda_functions",
                                   "Penstock was built without CUDA (nvcc was not there)");
  if (found.entry == nullptr) return {nullptr, found.reason};
  const auto* cuda = reinterpret_cast<const CudaFunctions* (*)()>(found.entry)();
  return cuda_device(*cuda, cuda_index(name).value_or(0));
}

}  // namespace penstock::operators
