#pragma once
/// One firing over plain heap memory, without an engine: for samples, tests and conformance checks.

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "penstock/operator.h"

namespace penstock {

/// For one thread. `inputs` must outlive it.
class HeapContext : public Context {
 public:
  HeapContext(uint64_t seed, uint64_t stream, std::span<const Item* const> inputs,
              const Origin& origin)
      : at_(origin) {
    inputs_ = inputs.data();
    count_ = inputs.size();
    origin_ = &at_;
    seed_ = seed;
    stream_ = stream;
  }

  using Context::output;
  Tensor& output(int field, std::span<const int64_t> sizes, DType dtype, Layout layout) override {
    return std::get<Tensor>(changes_[field] = Tensor::empty(sizes, dtype, layout));
  }
  void set(int field, Field value) override { changes_[field] = std::move(value); }
  bool cancelled() const override { return false; }
  void tally(size_t which, uint64_t by) override { tallies_.at(which) += by; }

  bool dropped() const { return dropped_; }
  const Tallies& tallies() const { return tallies_; }
  /// The output: the fields that it begins with, and what the body changed. Throws
  /// std::logic_error for a field that the operator's infer() did not add.
  Item finish(std::vector<Field> start, size_t fields) {
    Item item;
    item.origin = at_;
    start.resize(fields);
    for (auto& [field, value] : changes_) {
      if (field < 0 || static_cast<size_t>(field) >= fields) {
        throw std::logic_error("the operator wrote a field that infer() did not add");
      }
      start[static_cast<size_t>(field)] = std::move(value);
    }
    item.fields = std::move(start);
    return item;
  }

 private:
  Origin at_;
  std::map<int, Field> changes_;
  Tallies tallies_{};
};

}  // namespace penstock
