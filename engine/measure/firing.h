#pragma once
/// Records of single firings and deliveries, for the critical path and for traces. Values only.

#include <cstdint>
#include <string>
#include <vector>

namespace penstock {

/// One firing of a unit, from the moment its slot became free. All times in nanoseconds since the
/// run's start and in this order; the state between two of them is that of a slot: starved, blocked
/// for memory, thread_wait, running, order_held and handover, blocked, handover.
struct FiringRecord {
  uint64_t firing = 0;  ///< identity: the unit's index << 40, plus a count from 1 in dispatch order
  /// The firing whose output came last; 0: none, as in a source and in a stream that goes on.
  uint64_t enabler = 0;
  int64_t free = 0;            ///< the slot was freed by the firing before in it
  int64_t in = 0;              ///< the inputs were there
  int64_t ready = 0;           ///< and memory for the output: a thread could have begun
  int64_t start = 0, end = 0;  ///< of the body
  int64_t held = 0;            ///< the firing before it in dispatch order was gone
  int64_t head = 0;            ///< seen finished by the unit
  int64_t room = 0;            ///< the last full out-edge had room
  int64_t done = 0;            ///< emitted; its slot is free again
  uint64_t position = 0;       ///< of its first sample in the source
  uint32_t epoch = 0;
  uint16_t unit = 0, slot = 0;
  uint16_t ready_edge = 0;  ///< in-edge (port) whose entry came last
  uint16_t full_edge = 0;   ///< out-edge (place) that was full last
  uint16_t given = 0;       ///< entries put on each out-edge, at most UINT16_MAX
  bool has_body = false;    ///< false: a tombstone, an error or an epoch's end passed through
  bool is_epoch_end = false;
};

/// A batch that the consumer got.
struct DeliveryRecord {
  uint64_t firing = 0;  ///< that made it
  int64_t asked = 0;    ///< first next() for it was entered
  int64_t arrived = 0;  ///< next() returned with it
  uint64_t samples = 0;
};

/// A copy of a unit's to a device, by the device's clock.
struct UnitCopy {
  uint16_t unit = 0;
  int64_t begin = 0, end = 0;
};

/// A stretch of the consumer's work that it gave a name.
struct RangeRecord {
  std::string name;
  int64_t begin = 0, end = 0;
};

/// What was recorded, by unit in order of emission; `lost` firings did not fit.
struct FiringLog {
  std::vector<FiringRecord> firings;
  std::vector<DeliveryRecord> deliveries;
  std::vector<UnitCopy> copies;
  std::vector<RangeRecord> ranges;
  uint64_t lost = 0;
};

}  // namespace penstock
