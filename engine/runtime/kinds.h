#pragma once
/// The kinds of units: how each takes its input. What they share is in Unit.

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "penstock/random.h"
#include "runtime/unit.h"

namespace penstock {

/// The unit for a node's kind.
std::unique_ptr<Unit> make_unit(RunCore& run, const PlanNode& node, int index, int slots);

/// A source: the engine's sampler walks the positions of each epoch; the only unit that the memory
/// budget and hold() stop.
class SourceUnit final : public Unit {
 public:
  SourceUnit(RunCore& run, const PlanNode& node, int index, int slots);
  /// Waits for the memory budget or hold(). Any thread.
  bool gated() const { return gated_.load(std::memory_order_seq_cst); }
  /// One firing may pass the closed gate.
  void admit() { admitted_.store(true, std::memory_order_release); }
  /// How far it is: epoch, then position. For the quiescent case only.
  std::pair<uint32_t, uint64_t> progress() const { return {epoch_, position_}; }
  std::string key(uint64_t index) const { return source_.key(index); }
  uint64_t length(uint32_t epoch) const { return source_.size(epoch); }

 protected:
  Step start_one(Worker& worker) override;
  void body(Slot& slot, Worker& worker) override;
  void reset_epoch() override;
  int64_t blocked_since() const override { return 1; }

 private:
  uint64_t ask_length(Worker& worker);

  const Source& source_;
  std::optional<Permutation> order_;
  uint64_t position_ = 0;
  std::optional<uint64_t> length_;
  std::atomic<bool> gated_{false}, admitted_{false};
};

/// 1 -> 0 or 1, and sinks.
class MapUnit final : public Unit {
 public:
  MapUnit(RunCore& run, const PlanNode& node, int index, int slots);
  ~MapUnit() override;
  void close_pool() override;

 protected:
  Step start_one(Worker& worker) override;
  void body(Slot& slot, Worker& worker) override;
  int64_t blocked_since() const override { return waits_since_; }

 private:
  class Pool;
  std::shared_ptr<Pool> pool_;
  int64_t waits_since_ = 0;
};

/// The first n items of each epoch; then its epoch_end at once and done upstream.
class TakeUnit final : public Unit {
 public:
  TakeUnit(RunCore& run, const PlanNode& node, int index, int slots);

 protected:
  Step start_one(Worker& worker) override;
  void reset_epoch() override { taken_ = 0; }

 private:
  uint64_t limit_;
  uint64_t taken_ = 0;
};

/// N -> 1: gathers an open group while a slot is free; a full or flushed group is one firing.
class CollateUnit final : public Unit {
 public:
  CollateUnit(RunCore& run, const PlanNode& node, int index, int slots);
  ~CollateUnit() override;

 protected:
  Step start_one(Worker& worker) override;
  void body(Slot& slot, Worker& worker) override;
  void drop_open(Worker& worker) override;

 private:
  void fire(Worker& worker);

  size_t batch_size_;
  bool drop_last_;
  SmallVector<Item*, 2> group_;
  int64_t group_stamp_ = 0;
  uint64_t group_enabler_ = 0;
};

/// One of each in-edge -> 1, by equal origins.
class ZipUnit final : public Unit {
 public:
  using Unit::Unit;

 protected:
  Step start_one(Worker& worker) override;
  void body(Slot& slot, Worker& worker) override;

 private:
  Step end_all(Worker& worker);
};

/// Items of several in-edges in turn; first come first served under `any`.
class MergeUnit final : public Unit {
 public:
  MergeUnit(RunCore& run, const PlanNode& node, int index, int slots);
  void connected();

 protected:
  Step start_one(Worker& worker) override;
  void reset_epoch() override;

 private:
  int due();
  std::vector<char> ended_;
  size_t turn_ = 0;
};

/// A place of an Expand: holds one open stream.
struct OpenStream {
  Item* parent = nullptr;
  std::unique_ptr<Stream> stream;
  uint32_t next_child = 0;
  int64_t stamp = 0;              ///< the parent came; 0: it has had a firing
  uint64_t enabler = 0;           ///< the parent's firing; 0 as above
  bool open = false;              ///< belongs to the body while busy
  std::atomic<bool> busy{false};  ///< a firing works on it
};

/// 1 -> N as generators in `cycle` places, a chunk from each in turn.
class ExpandUnit final : public Unit {
 public:
  ExpandUnit(RunCore& run, const PlanNode& node, int index, int slots);
  ~ExpandUnit() override;

 protected:
  Step start_one(Worker& worker) override;
  void body(Slot& slot, Worker& worker) override;
  void skip_body(Slot& slot) override { slot.place->busy.store(false, std::memory_order_release); }
  void reset_epoch() override { turn_ = 0; }
  bool state_in_use() const override;
  void drop_open(Worker& worker) override;

 private:
  void next_turn() { turn_ = (turn_ + 1) % places_.size(); }
  void close(OpenStream& place, Worker& worker);
  Step open_next(OpenStream& place, Worker& worker);
  bool produce_child(Slot& slot, Operator& operation, OpenStream& place, Worker& worker);

  std::vector<std::unique_ptr<OpenStream>> places_;
  size_t turn_ = 0;
};

}  // namespace penstock
