// From a name to a device, and the reasons why there is none.

#include "device/find_device.h"

#include <doctest/doctest.h>

#include "device/cuda_device.h"
#include "support/fake_cuda.h"

namespace penstock {
namespace {

using operators::cuda_refusal;
using operators::CudaDevice;
using operators::DeviceError;
using operators::is_device_name;

TEST_CASE("names of devices") {
  for (const char* name : {"auto", "cpu", "simulated", "cuda", "cuda:0", "cuda:12"}) {
    CHECK(is_device_name(name));
  }
  for (const char* name : {"", "gpu", "cuda:", "cuda:-1", "cuda:x", "cuda:1x", "cuda:128", "CPU"}) {
    CHECK_FALSE(is_device_name(name));
  }
}

TEST_CASE("why there is no CUDA device, in words") {
  LazyDevice device;
  const auto refusal = [&device](FakeCuda machine) {
    machine.device = &device;
    return cuda_refusal(fake_cuda(machine));
  };
  CHECK(refusal({}).empty());
  CHECK(refusal({.driver = 0}) == "no CUDA driver is installed");
  CHECK(refusal({.driver = 12040}) ==
        "the CUDA driver is too old: it is for CUDA 12.4, and the runtime is 13.0");
  CHECK(refusal({.count = 0}) == "the CUDA driver finds no device");
  CHECK(refusal({.count_error = operators::cuda_error::kNoDevice}) ==
        "the CUDA driver finds no device");
  CHECK(refusal({.count_error = 3}) ==
        "the CUDA devices cannot be counted: unspecified launch failure");
}

TEST_CASE("a device that the machine does not have is named, with those that it has") {
  LazyDevice device;
  const auto found = [&device](int count, int index) {
    return operators::cuda_device(fake_cuda({.device = &device, .count = count}), index);
  };
  CHECK(found(1, 0).runtime != nullptr);
  CHECK(found(8, 7).runtime != nullptr);
  CHECK(found(1, 1).reason == "there is no device 1: the machine has one, cuda:0");
  CHECK(found(2, 3).reason == "there is no device 3: the machine has 2, cuda:0 to cuda:1");
  CHECK(found(0, 0).reason == "the CUDA driver finds no device");
}

TEST_CASE("a CUDA device leaves the thread's current device as it was") {
  LazyDevice lazy;
  const operators::CudaFunctions& cuda = fake_cuda({.device = &lazy, .count = 2});
  CudaDevice device(cuda, 1);
  cuda.set_device(0);
  void* const stream = device.create_stream();
  void* const memory = device.allocate(10);
  int current = -1;
  cuda.get_device(&current);
  CHECK(current == 0);
  CHECK(device.name() == "fake device (cuda:1)");
  CHECK(device.device() == Device{Device::Kind::kCuda, 1});
  device.free(memory);
  device.destroy_stream(stream);
  CHECK(lazy.live() == 0);
}

TEST_CASE("errors of CUDA name the device and what was tried") {
  LazyDevice lazy({.memory = 100});
  CudaDevice device(fake_cuda({.device = &lazy}), 0);
  CHECK_THROWS_WITH_AS(device.allocate(1000), "cuda:0: allocating device memory: out of memory",
                       DeviceError);
}

}  // namespace
}  // namespace penstock
