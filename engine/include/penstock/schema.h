#pragma once
/// An operator's schema: the one declaration from which checking, `describe`, JSON Schema and the
/// documentation come.

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace penstock {

/// How an operator changes the stream.
enum class Kind : uint8_t {
  kSource,   ///< a map over positions: position -> sample
  kMap,      ///< 1 -> 0 or 1
  kExpand,   ///< 1 -> N, a generator
  kCollate,  ///< N -> 1
  kZip,      ///< one of each in-edge -> 1
  kMerge,    ///< items of several in-edges in turn
  kTake,     ///< the first n of each epoch
  kSink,     ///< 1 -> nothing
};
std::string_view name_of(Kind kind);

/// Where bodies run.
enum class Where : uint8_t {
  kCpu,       ///< on the shared CPU threads; must not wait
  kBlocking,  ///< on the I/O threads; may wait for disks, networks, sleeps
  kDevice,    ///< waits for a device; on the I/O threads
};
std::string_view name_of(Where where);

/// How many objects of the operator a run makes.
enum class State : uint8_t {
  kStateless,  ///< one object, its body is called by several slots at once
  kPerSlot,    ///< one object a slot, made at the slot's first firing and destroyed at the end
  kSerial,     ///< one object and one slot; state is reset by each epoch's first firing
};
std::string_view name_of(State state);

enum class ParamType : uint8_t {
  kBool,
  kInt,
  kFloat,
  kString,
  kPath,        ///< relative to the YAML file; handed to the operator absolute
  kDuration,    ///< "8ms"; handed over as nanoseconds (int64)
  kBytes,       ///< "256MiB"; handed over as bytes (int64)
  kChoice,      ///< one of `choices`
  kDType,       ///< name of an element type
  kIntList,     ///< a single number is a list of one
  kFloatList,   ///< a single number is a list of one
  kStringList,  ///< a single text is a list of one
};
std::string_view name_of(ParamType type);

using ParamValue =
    std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<int64_t>,
                 std::vector<double>, std::vector<std::string>>;

/// One parameter. `unit`, `low`, `high` and `choices` are shown and checked; for lists the range is
/// that of each element.
struct Param {
  std::string name;
  ParamType type = ParamType::kString;
  std::string doc;
  ParamValue default_value;  ///< monostate: see `required`
  bool required = false;     ///< no default and must be given; false with monostate: optional
  std::string unit;
  std::optional<double> low, high;
  std::vector<std::string> choices;
  size_t min_items = 0, max_items = 0;  ///< of lists; 0: no limit
  std::string deprecated;               ///< what to use instead; empty: current
};

inline constexpr size_t kMaxTallies = 4;  ///< of an operator

/// Sums of what bodies have counted, by place in their schema's tallies().
using Tallies = std::array<uint64_t, kMaxTallies>;

/// Fluent declaration:
///   Schema("crop", Kind::kMap, "Cuts out the middle.").param({...}).random()
class Schema {
 public:
  Schema() = default;
  Schema(std::string name, Kind kind, std::string doc)
      : name_(std::move(name)), doc_(std::move(doc)), kind_(kind) {}

  Schema& where(Where where) { return where_ = where, *this; }
  Schema& state(State state) { return state_ = state, *this; }
  /// Draws from ctx.rng().
  Schema& random() { return random_ = true, *this; }
  /// Its output depends on the order of its input (take, collate with drop_last ...).
  Schema& order_sensitive() { return order_sensitive_ = true, *this; }
  Schema& param(Param param) { return params_.push_back(std::move(param)), *this; }
  /// Its body may call ctx.drop(): the length of an epoch is not known behind it.
  Schema& drops() { return may_drop_ = true, *this; }
  /// A field that is read or written, for the documentation: "image", "uint8 HWC picture".
  Schema& reads(std::string field, std::string doc) {
    return reads_.emplace_back(std::move(field), std::move(doc)), *this;
  }
  Schema& writes(std::string field, std::string doc) {
    return writes_.emplace_back(std::move(field), std::move(doc)), *this;
  }
  /// Something that bodies count with ctx.tally(), for the report: "oriented", "pictures whose
  /// EXIF orientation is not upright". At most kMaxTallies.
  Schema& tallies(std::string name, std::string doc) {
    return tallies_.emplace_back(std::move(name), std::move(doc)), *this;
  }
  /// A pipeline fragment for the documentation, one YAML flow mapping.
  Schema& example(std::string yaml) { return example_ = std::move(yaml), *this; }
  Schema& since(std::string version) { return since_ = std::move(version), *this; }

  const std::string& name() const { return name_; }
  const std::string& doc() const { return doc_; }
  Kind kind() const { return kind_; }
  Where where() const { return where_; }
  State state() const { return state_; }
  bool is_random() const { return random_; }
  bool is_order_sensitive() const { return order_sensitive_; }
  bool may_drop() const { return may_drop_; }
  const std::vector<Param>& params() const { return params_; }
  const std::vector<std::pair<std::string, std::string>>& reads() const { return reads_; }
  const std::vector<std::pair<std::string, std::string>>& writes() const { return writes_; }
  const std::vector<std::pair<std::string, std::string>>& tallies() const { return tallies_; }
  const std::string& example() const { return example_; }
  const std::string& since() const { return since_; }
  const Param* find(std::string_view name) const;

 private:
  std::string name_, doc_, example_, since_ = "0.1.0";
  Kind kind_ = Kind::kMap;
  Where where_ = Where::kCpu;
  State state_ = State::kStateless;
  bool random_ = false, order_sensitive_ = false, may_drop_ = false;
  std::vector<Param> params_;
  std::vector<std::pair<std::string, std::string>> reads_, writes_, tallies_;
};

/// Parameter values of one node, complete and checked against the schema (defaults filled in).
class Params {
 public:
  void set(std::string name, ParamValue value);
  bool has(std::string_view name) const;  ///< given or with a default
  /// Typed access; asking for a name or type that the schema does not have is a bug of the operator
  /// and throws std::logic_error.
  bool boolean(std::string_view name) const;
  int64_t integer(std::string_view name) const;  ///< kInt, kDuration (ns), kBytes
  double number(std::string_view name) const;
  const std::string& text(std::string_view name) const;  ///< kString, kPath, kChoice, kDType
  const std::vector<int64_t>& integers(std::string_view name) const;
  const std::vector<double>& numbers(std::string_view name) const;
  const std::vector<std::string>& texts(std::string_view name) const;
  const std::vector<std::pair<std::string, ParamValue>>& all() const { return values_; }

 private:
  const ParamValue& get(std::string_view name) const;
  std::vector<std::pair<std::string, ParamValue>> values_;
};

}  // namespace penstock
