#pragma once
/// Writing an operator: derive from one of the classes below, override one method, declare the rest
/// in the schema.
///
/// Who calls what: the plan makes one object of each node to check it (constructor, then infer()).
/// A run makes its own objects by State: one shared (kStateless), one a slot (kPerSlot, made at the
/// slot's first firing) or one alone (kSerial). On each: infer() once, then bodies. The body of a
/// kStateless operator is called by several threads at once and must not change the object; others
/// are never called by two threads at a time, but by different threads over time. Anything thrown
/// by a body becomes an error of that sample, and the node's `on_error` decides; MachineError fails
/// the run.

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "penstock/device.h"
#include "penstock/item.h"
#include "penstock/random.h"
#include "penstock/schema.h"
#include "penstock/tensor.h"

namespace penstock {

/// Thrown by an operator's constructor or infer() for a parameter that cannot work here ("no such
/// folder"); shown at the parameter's place in the file.
class ParamError : public std::runtime_error {
 public:
  ParamError(std::string param, const std::string& message, std::string help = "")
      : std::runtime_error(message), param_(std::move(param)), help_(std::move(help)) {}
  const std::string& param() const { return param_; }
  const std::string& help() const { return help_; }

 private:
  std::string param_, help_;
};

/// Thrown by a body when the machine is at fault and not the sample (no file descriptor is left, no
/// memory): the run fails whatever `on_error` says, since skipping would lose good samples.
/// std::bad_alloc means the same.
class MachineError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What is known of a field before the run.
struct FieldInfo {
  std::string name;
  bool is_text = false;
  std::optional<DType> dtype;
  std::optional<std::vector<int64_t>> shape;  ///< -1: not known for that dimension
  Layout layout = Layout::kNone;
  bool on_device = false;  ///< its memory is a device's: only operators that are `device` take it
};

/// The fields of a node's items, in order. infer() receives those of its input and leaves those of
/// its output: indices of fields that stay do not change. A source starts with none; a zip with
/// those of all its inputs.
class FieldTable {
 public:
  FieldTable() = default;
  explicit FieldTable(std::vector<FieldInfo> fields) : fields_(std::move(fields)) {}

  /// The index of a field that must be there; throws ParamError at `param` that lists what is
  /// there.
  int require(std::string_view name, std::string_view param) const;
  /// The index, or -1.
  int find(std::string_view name) const;
  /// Adds a field, or replaces what is known of the one with that name; returns its index.
  int add(FieldInfo field);
  /// The field is no longer there; its index stays unused.
  void remove(int index);
  /// Throws std::out_of_range for an index that no field has.
  const FieldInfo& at(int index) const;
  FieldInfo& at(int index);
  int size() const { return static_cast<int>(fields_.size()); }
  const std::vector<FieldInfo>& all() const { return fields_; }
  /// "image, label".
  std::string names() const;

 private:
  std::vector<FieldInfo> fields_;
};

/// What a body sees of its firing. Valid during the call only; used by one thread.
/// Inputs are const. Outputs start as the input's fields (a source's and a collate's start empty)
/// and change where output() or set() say so, after the body has returned.
class Context {
 public:
  virtual ~Context() = default;

  /// Number of input items: 1, for collate the size of the group, 0 for a source.
  size_t count() const { return count_; }
  /// Throws std::out_of_range where there is no such input.
  const Item& in(size_t i = 0) const;
  /// A tensor field of input i; throws std::invalid_argument naming the field when it is a text.
  const Tensor& tensor(int field, size_t i = 0) const;
  const std::string& text(int field, size_t i = 0) const;

  /// The sample: for a source the one to produce, else that of the first input item.
  const Origin& origin() const { return *origin_; }
  /// A name for input i (0 of a source: the sample to produce) in messages: its key where the
  /// engine can tell, else its place.
  virtual std::string key(size_t i = 0) const {
    return "position " +
           std::to_string(i < count_ ? inputs_[i]->origin.position : origin_->position);
  }
  /// The random numbers of this sample in this node.
  Rng& rng();

  /// Memory for a field of the output: dense, to be written in full, never read. The engine may
  /// hand out pooled, pinned or batch memory. The reference is good until the body returns.
  virtual Tensor& output(int field, std::span<const int64_t> sizes, DType dtype,
                         Layout layout = Layout::kNone) = 0;
  Tensor& output(int field, std::initializer_list<int64_t> sizes, DType dtype,
                 Layout layout = Layout::kNone) {
    return output(field, std::span<const int64_t>(sizes.begin(), sizes.size()), dtype, layout);
  }
  /// A field as it is: a text, or a tensor that shares an input's memory.
  virtual void set(int field, Field value) = 0;
  /// The sample ends here (a filter's no); counted as filtered, not as an error.
  void drop() { dropped_ = true; }
  /// True once the run does not want this result any more; a long body may return early.
  virtual bool cancelled() const = 0;
  /// The place that was reserved for this output, where output_pool() is not 0: it is taken as long
  /// as the result lives, also beyond the run. Left alone, it is free once the item is delivered.
  virtual std::shared_ptr<void> take_place() { return nullptr; }
  /// Adds to one of the schema's tallies(), by its place there; the report has the sums. It counts
  /// with the output: not where the body fails, drops its sample or gives none. Throws
  /// std::out_of_range where the schema has no such tally.
  virtual void tally(size_t which, uint64_t by = 1) { (void)which, (void)by; }

 protected:
  const Item* const* inputs_ = nullptr;
  size_t count_ = 0;
  const Origin* origin_ = nullptr;
  uint64_t seed_ = 0;
  uint64_t stream_ = 0;
  bool dropped_ = false;
  std::optional<Rng> rng_;
};

/// What part of its input picture an operator needs for a given output: hook for pushing a crop
/// down into a decoder.
struct Region {
  int64_t x = 0, y = 0, width = 0, height = 0;
};

class Operator {
 public:
  virtual ~Operator() = default;

  /// Resolves the names of the fields it reads to indices, adds those it writes and says what is
  /// known of them. Throws ParamError.
  virtual void infer(FieldTable& fields) { (void)fields; }
  /// What a user should know of the data before the run, one line each; shown as warnings.
  virtual std::vector<std::string> notes() const { return {}; }
  /// One firing.
  virtual void process(Context& ctx) { (void)ctx; }
  /// True when try_now() is worth calling.
  virtual bool has_try_now() const { return false; }
  /// A blocking operator may try to finish without waiting, on a CPU thread; false: it would block
  /// (nothing was output), and process() is called on an I/O thread.
  virtual bool try_now(Context& ctx) {
    (void)ctx;
    return false;
  }
  /// What process() would need of a picture of that size for this sample, if it can tell.
  virtual std::optional<Region> region(Context& ctx, int64_t width, int64_t height) const {
    (void)ctx, (void)width, (void)height;
    return std::nullopt;
  }
  /// State that a resumed run needs (kSerial operators), as opaque bytes.
  virtual std::string checkpoint() const { return {}; }
  virtual void restore(std::string_view state) { (void)state; }
  /// A new epoch begins; called before its first firing, never earlier.
  virtual void reset(uint32_t epoch) { (void)epoch; }
  /// Number of outputs that can exist at a time because their memory is bounded (pinned or device
  /// slots); 0: not bounded. A firing starts only when one is free.
  virtual size_t output_pool() const { return 0; }
  /// Called once by the plan, after infer() of all nodes: `reader` is the only node that reads this
  /// one's output; null where that is the consumer, or several do.
  virtual void link(const Operator* reader) { (void)reader; }
  /// Memory for this node's outputs, in place of the engine's own; a collate right before it writes
  /// its batches there as well. Asked once, after link().
  virtual std::shared_ptr<ItemMemory> output_memory() const { return nullptr; }
  /// What copies to a device and pinned memory have cost so far. Thread-safe.
  virtual DeviceFigures device_figures() const { return {}; }
  /// The copies that ended since the last call, a few thousand at most. Thread-safe.
  virtual std::vector<CopyRecord> take_copies() { return {}; }
};

/// A map over positions: the engine owns the sampler, so that sharding, shuffling and resuming need
/// nothing of the author. process(ctx) reads record ctx.origin().index.
class Source : public Operator {
 public:
  /// Number of records in that epoch.
  virtual uint64_t size(uint32_t epoch) const = 0;
  /// A name for a record in messages: a path, a member. Thread-safe.
  virtual std::string key(uint64_t index) const { return "#" + std::to_string(index); }
};

/// The children of one parent, in order. Used by one thread at a time; destroyed on cancel and at
/// the end of the epoch.
class Stream {
 public:
  virtual ~Stream() = default;
  /// Outputs the next child (ctx.in() is the parent); false: there is none, nothing was output.
  virtual bool next(Context& ctx) = 0;
};

/// 1 -> N as a generator.
class Expand : public Operator {
 public:
  /// Called on the thread that then asks for the first child. ctx.in() is the parent; the engine
  /// keeps it alive as long as the stream.
  virtual std::unique_ptr<Stream> open(Context& ctx) = 0;
};

/// N -> 1: process(ctx) sees ctx.count() items and outputs one batch.
class Collate : public Operator {
 public:
  virtual size_t batch_size() const = 0;
  /// An incomplete group at the end of an epoch is dropped.
  virtual bool drop_last() const = 0;
};

/// Lets the first `count` items of each epoch through.
class Take : public Operator {
 public:
  virtual uint64_t limit() const = 0;
};

using OperatorFactory = std::function<std::unique_ptr<Operator>(const Params&)>;

/// What a plugin registers.
struct OperatorDef {
  Schema schema;
  OperatorFactory make;
};

}  // namespace penstock
