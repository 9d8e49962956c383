#pragma once
/// What the tests of the slots have in common.

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "device/device_ring.h"
#include "device/devices.h"
#include "device/pinned_pool.h"

namespace penstock {

using operators::DeviceError;
using operators::DeviceRing;
using operators::PinnedPool;

inline constexpr size_t kBytes = 1000;

/// A device with a ring on it, pinned memory, and a stream of the consumer's.
struct Bench {
  explicit Bench(TestedDevice on, size_t slots = 2)
      : device(std::move(on)),
        pool(std::make_shared<PinnedPool>(device.runtime)),
        ring(std::make_shared<DeviceRing>(device.runtime, slots)),
        stream{device.runtime->device(), device.runtime->create_stream()} {}
  ~Bench() { device.runtime->destroy_stream(stream.handle); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  /// A batch of two fields in one block, of `bytes` in all.
  std::vector<Tensor> batch(uint64_t number, size_t bytes = kBytes) const {
    const std::vector<uint8_t> values = pattern(number, bytes);
    const size_t parts[] = {bytes / 3, bytes - bytes / 3};
    BufferRef block;
    std::vector<Tensor> fields;
    size_t at = 0;
    for (const size_t part : parts) {
      const ItemMemory::Piece piece = pool->allocate(part, nullptr, &block);
      const int64_t shape[] = {static_cast<int64_t>(part)};
      std::memcpy(piece.data, values.data() + at, part);
      fields.emplace_back(piece.owner, piece.data, DType::kUInt8, shape);
      at += part;
    }
    return fields;
  }
  /// That batch on its way to the device; its pinned memory is let go of.
  std::vector<Tensor> copy(uint64_t number, size_t bytes = kBytes) const {
    const std::vector<Tensor> fields = batch(number, bytes);
    return ring->copy({&fields[0], &fields[1]}, nullptr);
  }
  void hand_over(const std::vector<Tensor>& fields) const {
    for (const Tensor& field : fields) ring->hand_over(*field.owner().get(), &stream);
  }
  /// The consumer's work on the device: it looks at the batch, some time later.
  void look(const std::vector<Tensor>& fields, std::vector<uint8_t>* seen) const {
    size_t at = 0;
    seen->resize(fields[0].nbytes() + fields[1].nbytes());
    for (const Tensor& field : fields) {
      device.runtime->copy_to_host(seen->data() + at, field.data(), field.nbytes(), stream.handle);
      at += field.nbytes();
    }
  }
  void wait_for_stream() const {
    void* const event = device.runtime->create_event();
    device.runtime->record(event, stream.handle);
    device.runtime->synchronize(event);
    device.runtime->destroy_event(event);
  }
  void check_nothing_too_early() const {
    if (device.lazy == nullptr) return;
    for (const std::string& violation : device.lazy->violations()) FAIL_CHECK(violation);
  }

  TestedDevice device;
  std::shared_ptr<PinnedPool> pool;
  std::shared_ptr<DeviceRing> ring;
  DeviceStream stream;
};

}  // namespace penstock
