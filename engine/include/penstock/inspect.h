#pragma once
/// What a batch holds, for whoever wants to look before training on it.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "penstock/pipeline.h"
#include "penstock/tensor.h"

namespace penstock {

struct FieldInspection {
  std::string name;
  bool is_tensor = false;  ///< false: texts, and none of what follows but `texts`
  DType dtype = DType::kUInt8;
  std::vector<int64_t> shape, strides;  ///< in elements
  Layout layout = Layout::kNone;
  Device device;       ///< where it lies; kPinned: in pinned memory of the CPU's
  uint64_t bytes = 0;  ///< of its elements
  /// Of the finite elements; nothing where there are none.
  std::optional<double> min, max, mean;
  uint64_t not_finite = 0;         ///< elements that are NaN or infinite
  std::vector<std::string> texts;  ///< one a sample
};

struct BatchInspection {
  uint32_t epoch = 0;
  uint64_t examples = 0;
  std::vector<FieldInspection> fields;  ///< in the batch's order
};

/// Reads every element, from a device too: that waits for it, and what a device throws comes
/// through. Keeps nothing of the batch's memory.
BatchInspection inspect(const Batch& batch);

/// A line a field: type, shape, strides in elements, where it lies, whether that is pinned, bytes,
/// values.
std::string format_text(const BatchInspection& batch);
/// {"batches": [{"epoch", "examples", "fields": [...]}]}
std::string format_json(const std::vector<BatchInspection>& batches);

}  // namespace penstock
