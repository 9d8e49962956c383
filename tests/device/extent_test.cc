// Which tensors of a batch move by one copy, and where they come to lie.

#include "device/extent.h"

#include <doctest/doctest.h>

#include <cstring>

#include "device/device_ring.h"
#include "device/devices.h"

namespace penstock {
namespace {

using operators::DeviceRing;
using operators::Extent;

constexpr int64_t kBlock = 8192;

/// A field in a block of memory.
Tensor field(const Tensor& block, size_t at, int64_t elements, DType dtype = DType::kUInt8) {
  auto* const data = const_cast<char*>(block.data_as<char>()) + at;
  return Tensor(block.owner(), data, dtype, std::vector<int64_t>{elements});
}

Extent extent_of(const std::vector<Tensor>& fields) {
  std::vector<const Tensor*> sources;
  for (const Tensor& each : fields) sources.push_back(&each);
  return Extent(sources);
}

TEST_CASE("fields that follow each other move by one copy, as well aligned as they were") {
  const Tensor block = Tensor::empty({kBlock}, DType::kUInt8);
  const Extent extent =
      extent_of({field(block, 1, 3), field(block, 4, 8, DType::kFloat32), field(block, 40, 1)});
  REQUIRE(extent.copies.size() == 1);
  CHECK(extent.copies[0].bytes == 40);
  CHECK(extent.offsets[1] - extent.offsets[0] == 3);
  CHECK(extent.offsets[1] % sizeof(float) == 0);
  CHECK(extent.bytes == extent.copies[0].to + 40);
}

TEST_CASE("what lies between fields far from each other is not copied") {
  const Tensor block = Tensor::empty({kBlock}, DType::kUInt8);
  const Extent extent = extent_of({field(block, 1, 3), field(block, 4064, 8, DType::kFloat32),
                                   field(block, 4100, 100), field(block, 5, 3)});
  REQUIRE(extent.copies.size() == 3);
  CHECK(extent.copies[0].bytes == 3);
  CHECK(extent.copies[0].to == 0);  // on its own: as an allocation is
  CHECK(extent.copies[1].bytes == 136);
  CHECK(extent.offsets[1] % sizeof(float) == 0);
  CHECK(extent.offsets[2] - extent.offsets[1] == 36);
  CHECK(extent.copies[2].bytes == 3);
  CHECK(extent.offsets[3] % operators::kFieldAlign == 0);
}

TEST_CASE("alignment's gaps are copied, larger ones are not, and no bytes are no copy") {
  const Tensor block = Tensor::empty({kBlock}, DType::kUInt8);
  CHECK(extent_of({field(block, 0, 1), field(block, 256, 1)}).copies.size() == 1);
  CHECK(extent_of({field(block, 0, 1), field(block, 257, 1)}).copies.size() == 2);
  CHECK(extent_of({field(block, 0, 8), field(block, 4, 8)}).copies.size() == 2);  // they overlap
  CHECK(extent_of({field(block, 0, 0), field(block, 9, 4), field(block, 300, 0)}).copies.size() ==
        1);
  const Extent nothing = extent_of({field(block, 0, 0)});
  CHECK(nothing.copies.empty());
  CHECK(nothing.bytes == 0);
  CHECK(extent_of({}).bytes == 0);
}

TEST_CASE("a field that is badly aligned moves on its own") {
  const Tensor block = Tensor::empty({kBlock}, DType::kUInt8);
  const Extent extent = extent_of({field(block, 0, 3), field(block, 3, 8, DType::kFloat32)});
  CHECK(extent.copies.size() == 2);
  CHECK(extent.offsets[1] % sizeof(float) == 0);
}

TEST_CASE("one owner of several memories: nothing between them is read") {
  std::vector<char> memory(2048);
  const BufferRef owner = wrap_memory(memory.data(), 16, nullptr, [](void*) {});
  const Tensor first(owner, memory.data(), DType::kUInt8, std::vector<int64_t>{16});
  const Tensor second(owner, memory.data() + 216, DType::kUInt8, std::vector<int64_t>{400});
  CHECK(extent_of({first, second}).copies.size() == 2);
}

TEST_CASE("fields of one block arrive as they are, on every device") {
  for (const auto& make : tested_devices()) {
    const TestedDevice device = make();
    CAPTURE(device.name);
    for (const size_t second : {4, 4064}) {
      const auto ring = std::make_shared<DeviceRing>(device.runtime, 2);
      Tensor block = Tensor::empty({kBlock}, DType::kUInt8);
      const std::vector<uint8_t> values = pattern(second, kBlock);
      std::memcpy(block.mutable_data(), values.data(), values.size());
      const Tensor odd = field(block, 1, 3), floats = field(block, second, 8, DType::kFloat32);
      const std::vector<Tensor> there = ring->copy({&odd, &floats}, nullptr);
      ring->hand_over(*there[0].owner().get(), nullptr);
      CHECK(reinterpret_cast<uintptr_t>(there[1].data()) % sizeof(float) == 0);
      CHECK(ring->figures().bytes == 3 + 32);
      CHECK(ring->figures().transfers == (second == 4 ? 1 : 2));
      const Tensor odd_back = on_host(there[0]), floats_back = on_host(there[1]);
      CHECK(std::memcmp(odd_back.data(), values.data() + 1, 3) == 0);
      CHECK(std::memcmp(floats_back.data(), values.data() + second, 32) == 0);
    }
  }
}

}  // namespace
}  // namespace penstock
