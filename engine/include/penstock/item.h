#pragma once
/// What travels through a pipeline: items (samples before collate, batches after it).

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "penstock/tensor.h"

namespace penstock {

/// Where a sample comes from: a plain value, equal for equal samples at any concurrency. Key and
/// URI are looked up from it on demand (Source::key).
struct Origin {
  static constexpr int kMaxDepth = 4;
  uint32_t source = 0;    ///< index of the source node in the plan
  uint32_t epoch = 0;     ///< counted from 0
  uint64_t position = 0;  ///< place in the epoch's global order, before sharding
  uint64_t index = 0;     ///< the sampler's choice for that place: which record of the source
  uint32_t shard = 0;
  uint32_t depth = 0;                       ///< used entries of `child`
  std::array<uint32_t, kMaxDepth> child{};  ///< place among the children of each 1 -> N node

  /// True when epoch, position and child path agree (what a zip compares).
  bool same_place(const Origin& other) const {
    return epoch == other.epoch && position == other.position && depth == other.depth &&
           child == other.child;
  }
  friend auto operator<=>(const Origin&, const Origin&) = default;
};

/// Why a run failed: a value that travels in order through the graph like an item.
struct ErrorInfo {
  std::string node;         ///< id of the node whose body failed
  std::string where;        ///< "train.yaml:12:5", empty when the graph was built in C++
  std::string key;          ///< the sample's key (file, member), may be empty
  Origin origin;            ///< the sample (a batch's first one)
  std::string message;      ///< the cause, in the operator's words
  std::string shapes;       ///< the input's fields, "image: uint8 [480, 640, 3] HWC, ..."
  bool of_machine = false;  ///< the sample is not at fault: no policy passes over it
  /// The whole text that users see.
  std::string describe() const;
};

/// A sample or a batch: fields in the order of its node's field table, and its origin. Items are
/// pooled and owned by exactly one place at a time (an edge, a slot, the consumer); copies made for
/// a fan-out share the fields' memory.
struct Item {
  Origin origin;                ///< of a batch: its first sample's
  std::vector<Origin> samples;  ///< of a batch: every sample's; empty for a sample
  std::vector<Field> fields;
  std::shared_ptr<const ErrorInfo> error;  ///< of an error entry
  size_t bytes = 0;                        ///< payload of all fields, kept by the engine
  void* reservation = nullptr;             ///< place in a bounded pool, given back with the item
  Item* next_free = nullptr;               ///< for the pool

  bool is_batch() const { return !samples.empty(); }
  uint64_t sample_count() const { return samples.empty() ? 1 : samples.size(); }
};

}  // namespace penstock
