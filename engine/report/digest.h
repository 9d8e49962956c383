#pragma once
/// One number over all batches of a run: equal for equal batches in equal order.

#include <memory>
#include <string>
#include <vector>

#include "penstock/item.h"
#include "penstock/pipeline.h"

namespace penstock {

/// Streaming XXH3 (128 bits) over every batch: the samples' keys (source, epoch, position, child
/// path), the fields' names, types, shapes and elements in logical order (strides do not matter),
/// and texts. For one thread.
class BatchDigest {
 public:
  BatchDigest();
  ~BatchDigest();
  BatchDigest(const BatchDigest&) = delete;
  BatchDigest& operator=(const BatchDigest&) = delete;

  /// Adds one batch; throws std::invalid_argument for a tensor that is not in the host's memory.
  void add(const std::vector<std::string>& names, const Item& item);
  void add(const Batch& batch) { add(batch.names(), batch.item()); }
  /// "xxh3:" and 32 hexadecimal digits, over what was added so far.
  std::string value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace penstock
