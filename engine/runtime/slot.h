#pragma once
/// One of a unit's `concurrency` places, with everything of the firing that is in it.

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "measure/snapshot.h"
#include "penstock/operator.h"
#include "runtime/edge.h"
#include "runtime/item_pool.h"
#include "runtime/small_vector.h"

namespace penstock {

class Unit;
struct OpenStream;
struct Slot;

/// A result on its way out. `failed` means that the body failed and the policy has not decided yet.
struct Output {
  Item* item = nullptr;
  EntryKind kind = EntryKind::kItem;
  bool failed = false;
  uint32_t epoch = 0;
  uint32_t edges_left = 0;  ///< out-edges that have not taken it
};

/// The body's view of its slot. Outputs are gathered and take effect when the body has returned.
class BodyContext final : public Context {
 public:
  void attach(Slot* slot, uint64_t seed, uint64_t stream) {
    slot_ = slot;
    seed_ = seed;
    stream_ = stream;
  }
  void begin(const Item* const* inputs, size_t count, const Origin* origin) {
    inputs_ = inputs;
    count_ = count;
    origin_ = origin;
    dropped_ = false;
    rng_.reset();
    block_.reset();
    discard();
  }
  using Context::output;
  Tensor& output(int field, std::span<const int64_t> sizes, DType dtype, Layout layout) override;
  void set(int field, Field value) override;
  bool cancelled() const override;
  std::string key(size_t i) const override;
  std::shared_ptr<void> take_place() override;
  void tally(size_t which, uint64_t by) override;

  bool dropped() const { return dropped_; }
  /// Puts the gathered fields into `item`, which then has `fields` fields; tallies count.
  void commit(Item& item, int fields);
  /// Forgets them: the body failed or dropped its sample.
  void discard() {
    while (used_ > 0) pending_[--used_]->value = Field();
  }

 private:
  struct Pending {
    int field = 0;  ///< kFirstTally and what follows: no field, but a tally
    Field value;
    uint64_t count = 0;  ///< of a tally
    bool is_tally() const { return field < kFirstTally + static_cast<int>(kMaxTallies); }
  };
  static constexpr int kFirstTally = std::numeric_limits<int>::min();
  Field& add(int field, Field&& value);
  size_t size_of_inputs(size_t at_least) const;
  void count_tallies(int fields);
  Slot* slot_ = nullptr;
  BufferRef block_;  ///< of the output, where the node has memory of its own
  /// Kept from firing to firing; what output() returned stays where it is.
  std::vector<std::unique_ptr<Pending>> pending_;
  size_t used_ = 0;
};

/// Stamps are relaxed atomics because a snapshot may look while a body runs; each is written by the
/// thread that causes the event. The rest belongs to the evaluator while the slot is free or done,
/// and to the body's thread in between.
struct alignas(64) Slot {
  enum State : uint8_t { kFree, kTaken, kDone };

  std::atomic<int64_t> t_free{0};   ///< became free
  std::atomic<int64_t> t_in{0};     ///< inputs were there
  std::atomic<int64_t> t_ready{0};  ///< and output memory too: the firing was ready
  std::atomic<int64_t> t_start{0};  ///< body began; 0: not yet
  std::atomic<int64_t> t_end{0};    ///< body ended; 0: not yet
  std::atomic<State> state{kFree};
  bool settled = false;   ///< policies have decided on its outputs
  bool has_body = false;  ///< false: a tombstone, an error or an epoch_end passing through
  bool is_epoch_end = false;
  bool first_try = false;  ///< try_now() before the I/O threads
  bool waits_for_room = false;
  uint16_t index = 0;
  uint16_t ready_edge = 0;  ///< in-edge whose entry came last
  uint16_t full_edge = 0;   ///< out-edge that was full last
  uint32_t epoch = 0;
  Unit* unit = nullptr;

  int64_t t_head = 0;  ///< seen finished, and oldest
  int64_t t_room = 0;  ///< the last full out-edge had room again
  uint32_t until_sample = 1;
  uint32_t worth = 0;  ///< see ReadyQueue
  uint64_t firing = 0;
  uint64_t enabler = 0;                 ///< the firing whose entry came last
  Reservations* reservation = nullptr;  ///< place in the unit's output pool
  SmallVector<uint32_t, 2> cursors;     ///< by out-edge: outputs that it has taken
  SmallVector<Item*, 2> inputs;
  SmallVector<Output, 1> outputs;
  Origin origin;                           ///< of a source's firing
  OpenStream* place = nullptr;             ///< of an Expand's firing
  std::atomic<uint64_t> position{0};       ///< of its sample, for the watchdog
  std::unique_ptr<Operator> own_operator;  ///< of a kPerSlot unit
  BodyContext context;
  SampledClocks sampled;
};

}  // namespace penstock
