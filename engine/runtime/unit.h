#pragma once
/// Units: what is scheduled. A unit takes entries from its in-edges into free slots, has bodies run
/// and emits what they produced, in order.
///
/// Everything but the bodies happens inside evaluate(), and evaluations of one unit never overlap:
/// kick() counts, and whoever counts from 0 evaluates until the count is 0 again. Every event (an
/// entry pushed, room made, a body ended, done set) makes its effect visible and then kicks. A body
/// that is shorter than handing it over runs inside evaluate() too, where nobody can miss it (see
/// runs_itself()).

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "measure/firing.h"
#include "measure/histogram.h"
#include "measure/snapshot.h"
#include "plan/plan.h"
#include "runtime/edge.h"
#include "runtime/executor.h"
#include "runtime/item_pool.h"
#include "runtime/slot.h"
#include "runtime/small_vector.h"
#include "runtime/worker.h"

namespace penstock {

class RunCore;

inline constexpr uint32_t kHandOverNs = 500;  ///< price of moving one firing to another core

class Unit {
 public:
  Unit(RunCore& run, const PlanNode& node, int index, int slots);
  virtual ~Unit();
  Unit(const Unit&) = delete;
  Unit& operator=(const Unit&) = delete;

  /// Called once each while the graph is built.
  void connect(const std::vector<Edge*>& in, const std::vector<Edge*>& out);
  void begin(int64_t now);

  /// One event; evaluates unless another thread is at it. Neighbours are queued on the worker.
  /// Bookkeeping cannot be left half-way: where memory for it runs out, the program ends.
  void kick(Worker& worker) noexcept;
  /// Runs the body of a taken slot on the calling thread and kicks. Who got the slot from another
  /// thread has called settle_clock().
  void run_firing(Slot& slot, Worker& worker);
  /// Asks the cache for what the firing will touch, at once, so that the misses of a unit that ran
  /// on another core before overlap with each other and with the body.
  void prefetch(const Slot& slot) const;
  /// try_now() of a blocking operator; false: it would block.
  bool try_firing(Slot& slot, Worker& worker);

  /// Who looks at figures may have to wait for a body that evaluates (see runs_itself()).
  enum class Patience : uint8_t { kEndless, kShort };
  /// Consistent figures of this unit and of its in-edges, taken by whoever evaluates. Any thread.
  /// False: patience ended first.
  bool snapshot(Worker& worker, Patience patience, UnitSnapshot* unit,
                std::vector<EdgeSnapshot>* edges);
  /// Moves the recorded firings to the end of the log; out of patience, leaves them. Any thread.
  void take_firings(Worker& worker, Patience patience, FiringLog* log);

  /// The run has ended: places of the unit's output pool that are given back from now on kick
  /// nobody.
  virtual void close_pool() {}

  const PlanNode& node() const { return node_; }
  int index() const { return index_; }
  RunCore& run() const { return run_; }
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }
  /// Adds to one of the operator's tallies. Any thread.
  void count_tally(size_t which, uint64_t by) {
    tallies_[which].fetch_add(by, std::memory_order_relaxed);
  }
  /// Epochs whose epoch_end has left this unit (of a sink: has arrived).
  uint32_t epochs_done() const { return epochs_done_.load(std::memory_order_acquire); }
  /// Mean body, and what moving a firing to another core releases; nanoseconds.
  uint32_t mean_body() const { return mean_body_.load(std::memory_order_relaxed); }
  uint32_t worth() const { return worth_.load(std::memory_order_relaxed); }
  int slot_count() const { return static_cast<int>(slots_.size()); }
  Slot& slot(int i) { return *slots_[static_cast<size_t>(i)]; }
  const SmallVector<Edge*, 2>& in() const { return in_; }
  const SmallVector<Edge*, 2>& out() const { return out_; }
  Executor* executor = nullptr;
  Executor* blocking_executor = nullptr;  ///< where a would_block goes
  int depth = 0;

 protected:
  /// Tries one step of taking input. `kAgain`: something changed, look again; `kIdle`: nothing to
  /// take now.
  enum class Step : uint8_t { kIdle, kAgain };
  virtual Step start_one(Worker& worker) = 0;  // goes by Edge::lacking
  /// The body proper: gathers outputs into slot.outputs. Runs on the slot's thread.
  virtual void body(Slot& slot, Worker& worker);
  /// In place of the body of a firing that nobody wants any more.
  virtual void skip_body(Slot& slot) { (void)slot; }
  /// An epoch ended here or was left by done: state of the unit begins afresh.
  virtual void reset_epoch() {}
  /// True while a body works on state of the unit that done() would destroy.
  virtual bool state_in_use() const { return false; }
  /// Open groups and generators go; called when the unit stops or leaves an epoch.
  virtual void drop_open(Worker& worker) { (void)worker; }
  /// Since when free slots wait for output memory, the memory budget or hold(); 0: they do not.
  virtual int64_t blocked_since() const { return 0; }

  bool has_free_slot() const { return !free_.empty(); }
  /// Takes a free slot for a firing whose inputs came at `stamp` by in-edge `edge`.
  Slot& take_slot(uint32_t epoch, int64_t stamp, int edge, uint64_t enabler);
  /// The firing in the slot may run.
  void make_ready(Slot& slot, Worker& worker);
  /// Moves the front entry of an in-edge out; returns its item.
  Item* pop(Edge& edge, Worker& worker);
  /// A tombstone, error or epoch_end takes a slot without a body.
  void pass_through(Item* item, EntryKind kind, uint32_t epoch, int64_t stamp, int edge,
                    uint64_t enabler, Worker& worker);
  void pass_front(int edge, Worker& worker);
  /// Emits epoch_end for the current epoch and begins the next.
  void end_epoch(int64_t stamp, int edge, uint64_t enabler, Worker& worker);
  /// A slot that holds its outputs already is finished without a body.
  void finish_unrun(Slot& slot, Worker& worker);
  void drop_front(Edge& edge, Worker& worker);
  void set_done(Edge& edge, int64_t epoch, Worker& worker);
  void stop(Worker& worker);
  /// The object whose body runs in this slot.
  Operator& op(Slot& slot);
  /// Calls process() or try_now(); false: it would block.
  static bool invoke(Operator& operation, Slot& slot);
  void finish_body(Slot& slot, Item* item, Worker& worker);
  void count_in(uint64_t items) { items_in_ += items; }
  void count_error() { ++errors_; }

  RunCore& run_;
  const PlanNode& node_;
  const int index_;
  SmallVector<Edge*, 2> in_, out_;
  uint32_t epoch_ = 0;
  const bool any_order_;
  const bool is_lone_;  ///< one slot, on a CPU thread

 private:
  struct SnapshotRequest;
  class Waiting;
  /// What an evaluation leaves for the time behind its closing barrier.
  struct Changes {
    bool popped = false, pushed = false, wants_entry = false, wants_room = false;
  };
  void evaluate(Worker& worker, Changes* changes);
  void publish_wishes(Changes* changes);
  void kick_neighbours(const Changes& changes, Worker& worker);
  bool emit(Worker& worker);
  bool emit_in_order(Worker& worker);
  bool emit_any(Worker& worker);
  bool drop_finished(Worker& worker);
  bool try_emit(Slot& slot, Worker& worker);
  bool push_outputs(Slot& slot, Worker& worker);
  void push_output(Edge& edge, Slot& slot, Output& output, Worker& worker);
  void absorb_outputs(Slot& slot, Worker& worker);
  bool see_finished(Slot& slot, Worker& worker);
  void settle(Slot& slot);
  void settle_failure(Output& output);
  void add_fraction_error(Slot& slot);
  void release(Slot& slot, Worker& worker);
  void close_states(Slot& slot, Worker& worker);
  void update_mean(int64_t body_ns);
  void prefetch_hot() const;
  void recycle(Slot& slot, Worker& worker);
  void start(Worker& worker);
  bool look();
  bool is_wanted() const;
  Step follow_done(Worker& worker);
  void note_epoch_done(uint32_t epochs);
  void fail(Slot& slot, const std::string& message, Worker& worker, bool of_machine = false);
  std::string describe_fields(const Item& item) const;
  bool request(Worker& worker, Patience patience, SnapshotRequest* request);
  void serve_snapshot(Worker& worker);
  void record(FiringRecord record, const Slot& slot);
  void snapshot_states(int64_t now, UnitSnapshot* out) const;
  void open_states(const Slot& slot, int64_t now, bool oldest, SlotStates* states) const;
  bool runs_itself(const Worker& worker) const;
  void execute(Slot& slot, Worker& worker);
  void run_body(Slot& slot, Worker& worker);
  void run_sampled(Slot& slot, Worker& worker);
  void finish_firing(Slot& slot, Worker& worker, int64_t end);

  alignas(64) std::atomic<uint32_t> pending_{0};
  std::atomic<SnapshotRequest*> snapshot_request_{nullptr};
  alignas(64) std::vector<std::unique_ptr<Slot>> slots_;
  SmallVector<uint16_t, 4> free_;   // a stack of free slots
  SmallVector<uint16_t, 4> order_;  // taken slots in dispatch order: a ring
  uint32_t order_head_ = 0, order_size_ = 0;
  /// Index into order_ of the i-th oldest taken slot (i <= number of slots).
  size_t order_place(uint32_t i) const {
    const size_t at = size_t{order_head_} + i;
    return at < order_.size() ? at : at - order_.size();
  }
  Slot* begun_ = nullptr;    // `any`: the slot that is being emitted
  int64_t done_sent_ = -1;   // highest epoch that an in-edge was told done
  bool leaving_ = false;     // done passed our epoch while a body works on its state
  bool must_emit_ = false;   // a slot was filled that is finished already
  bool ran_itself_ = false;  // this evaluation ran a body
  bool in_changed_ = false, out_changed_ = false;  // by this evaluation
  bool wants_room_ = false;                        // an out-edge was full
  std::atomic<bool> stopped_{false};
  std::atomic<uint32_t> epochs_done_{0};
  uint64_t next_firing_ = 1;  // 0 means none
  int64_t t_old_ = 0;         // the predecessor in order was freed
  int64_t t_drained_ = 0;     // since when free slots are drained; 0: not
  int64_t start_time_ = 0;

  // policies, from zero in each epoch
  uint64_t settled_ = 0, failures_ = 0;
  uint32_t policy_epoch_ = 0;

  // objects
  std::unique_ptr<Operator> serial_operator_;
  Operator* shared_operator_ = nullptr;
  int64_t operator_epoch_ = -1;
  std::atomic<Operator*> figures_of_{nullptr};  ///< the run's only object of the operator

  // figures, written by the evaluator
  SlotStates states_;  // but for the two that follow
  SmallVector<int64_t, 2> starved_, blocked_;
  uint64_t firings_ = 0, epoch_ends_ = 0, items_in_ = 0, items_out_ = 0;
  std::atomic<uint32_t> mean_body_{0}, worth_{0};
  uint32_t bodies_seen_ = 0;
  Histogram service_;
  uint64_t skipped_ = 0, filtered_ = 0, errors_ = 0, clamps_ = 0;
  SampledClocks sampled_;
  std::vector<FiringRecord> recorded_;  // a ring once it is full
  size_t recorded_next_ = 0;
  uint64_t recorded_lost_ = 0;
  DeviceFigures figures_before_;                              // of the operator, before the run
  std::array<std::atomic<uint64_t>, kMaxTallies> tallies_{};  // by bodies' threads
};

}  // namespace penstock
