#pragma once
/// For the tests of operators: runs one on given items, without an engine, or a whole pipeline with
/// stages that fail or wait. Link penstock::testing and the library's own source files: the
/// operators are those that its entry point registers. Any test framework will do.
///
///     const auto out = run_operator("collate", {{"batch_size", 2}},
///                                   {{{"x", tensor_of<float>({2}, {1, 2})}},
///                                    {{"x", tensor_of<float>({2}, {3, 4})}}});
///     CHECK(values_of<float>(out[0].tensor("x")) == std::vector<float>{1, 2, 3, 4});
///
/// Outputs are plain heap memory, filled with 0xA5 before the body sees it, so that a body that
/// leaves an element out is found. What a body throws comes through.

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "penstock/operator.h"
#include "penstock/pipeline.h"

namespace penstock::testing {

using NamedFields = std::vector<std::pair<std::string, Field>>;
using ParamList = std::vector<std::pair<std::string, ParamValue>>;

/// One output item.
struct Sample {
  Origin origin;
  bool dropped = false;  ///< the body called ctx.drop(); then there are no fields
  Tallies tallies{};     ///< what the body counted
  NamedFields fields;

  bool has(std::string_view name) const;
  const Field& field(std::string_view name) const;  ///< throws std::out_of_range
  const Tensor& tensor(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  const std::vector<std::string>& texts(std::string_view name) const;
};

/// What surrounds the operator. Input i is at position and index i unless `origins` says otherwise.
struct Setup {
  uint64_t seed = 17;
  std::string stream = "node";  ///< name that random numbers are keyed by
  uint32_t epoch = 0;           ///< of a source
  std::vector<Origin> origins;
  std::vector<std::string> keys;  ///< names of the inputs in messages
  bool cancelled = false;
  size_t batch = 0;  ///< inputs are batches of so many samples; 0: samples
  /// Fields as known before the run; empty: as the first input has them.
  std::vector<FieldInfo> known;
};

/// The declaration of an operator of this library; throws std::out_of_range.
const OperatorDef& find_operator(const std::string& op);
/// Names of all operators of this library, in order of registration.
std::vector<std::string> operator_names();
/// An object with the given parameters and the schema's defaults; a number stands for a list of
/// one. Ranges and choices are not checked: that is the plan's work.
std::unique_ptr<Operator> make_operator(const std::string& op, const ParamList& params = {});
/// The fields behind the operator.
FieldTable infer_operator(const std::string& op, const ParamList& params, FieldTable fields = {});
/// Outputs in order: of a source all records of the epoch; of a map one for each input, dropped
/// ones included; of an expand all children; of a collate one for each group of inputs (an
/// incomplete last one too, unless drop_last).
std::vector<Sample> run_operator(const std::string& op, const ParamList& params,
                                 const std::vector<NamedFields>& inputs = {},
                                 const Setup& setup = {});

template <typename T>
constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, bool>) return DType::kBool;
  if constexpr (std::is_same_v<T, float>) return DType::kFloat32;
  if constexpr (std::is_same_v<T, double>) return DType::kFloat64;
  if constexpr (std::is_same_v<T, uint8_t>) return DType::kUInt8;
  if constexpr (std::is_same_v<T, int8_t>) return DType::kInt8;
  if constexpr (std::is_same_v<T, uint16_t>) return DType::kUInt16;
  if constexpr (std::is_same_v<T, int16_t>) return DType::kInt16;
  if constexpr (std::is_same_v<T, int32_t>) return DType::kInt32;
  return DType::kInt64;
}

/// A dense tensor with these elements in row-major order.
template <typename T>
Tensor tensor_of(std::vector<int64_t> shape, const std::vector<T>& values,
                 Layout layout = Layout::kNone) {
  Tensor tensor = Tensor::empty(shape, dtype_of<T>(), layout);
  if (tensor.numel() != static_cast<int64_t>(values.size())) {
    throw std::logic_error("tensor_of: the shape does not fit the values");
  }
  for (size_t i = 0; i < values.size(); ++i) tensor.mutable_data_as<T>()[i] = values[i];
  return tensor;
}

/// A 0-d int64, as labels are.
inline Tensor label_of(int64_t value) { return tensor_of<int64_t>({}, {value}); }

/// Offsets of all elements in row-major order, in elements from data().
std::vector<int64_t> offsets_of(const Tensor& tensor);

/// The elements in row-major order, whatever the strides; throws std::logic_error when T does not
/// have the tensor's element type.
template <typename T>
std::vector<T> values_of(const Tensor& tensor) {
  if (tensor.dtype() != dtype_of<T>()) throw std::logic_error("values_of: " + tensor.describe());
  std::vector<T> values;
  for (int64_t offset : offsets_of(tensor)) values.push_back(tensor.data_as<T>()[offset]);
  return values;
}

inline std::vector<int64_t> shape_of(const Tensor& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

/// A gate for bodies: they wait at it until the test opens it. Nothing waits for ever: after a
/// minute both sides throw, which shows as a failing test instead of a hang.
class Gate {
 public:
  /// Called by a body.
  void pass() {
    pass_unless([] { return false; });
  }
  /// The same; goes on, too, when the run is to end.
  void pass(const Context& ctx) {
    pass_unless([&ctx] { return ctx.cancelled(); });
  }
  /// Called by the test: returns once so many bodies have come.
  void wait_for_arrivals(int count) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kLimit, [&] { return arrived_ >= count; })) {
      throw std::runtime_error("nobody came to the gate");
    }
  }
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  int arrived() {
    std::lock_guard lock(mutex_);
    return arrived_;
  }

 private:
  template <typename GivenUp>
  void pass_unless(GivenUp given_up) {
    const auto end = std::chrono::steady_clock::now() + kLimit;
    std::unique_lock lock(mutex_);
    ++arrived_;
    changed_.notify_all();
    while (!changed_.wait_for(lock, kLook, [this] { return open_; }) && !given_up()) {
      if (std::chrono::steady_clock::now() < end) continue;
      throw std::runtime_error("nobody opened the gate");
    }
  }

  static constexpr std::chrono::seconds kLimit{60};
  static constexpr std::chrono::milliseconds kLook{20};  ///< between two looks at the run
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int arrived_ = 0;
};

/// Stages for pipelines, under the name `op`. A source of these items, all with the same fields:
OperatorDef feed(std::string op, std::vector<NamedFields> items);
/// A map that throws "forced to fail" for the samples at these positions of an epoch.
OperatorDef fails_at(std::string op, std::set<uint64_t> positions);
/// A blocking map whose bodies wait at the gate, which outlives the run.
OperatorDef waits_at(std::string op, Gate& gate);

/// A pipeline that may use the operators of this library and `more`, besides the built-in ones.
/// Throws InvalidPipeline.
Pipeline parse_pipeline(const std::string& yaml, std::vector<OperatorDef> more = {});

/// What a run gave its consumer, in order, and how it ended.
struct RunResult {
  std::vector<Sample> items;  ///< batches, or samples where the pipeline has no collate
  std::string error;          ///< why the run failed; empty: it did not
  Report report;
};
/// Runs it to its end.
RunResult run_pipeline(const std::string& yaml, std::vector<OperatorDef> more = {});

}  // namespace penstock::testing
