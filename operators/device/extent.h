#pragma once
/// Where the tensors of a batch go in memory of a device, and the copies that take them there.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "penstock/tensor.h"

namespace penstock::operators {

/// Of fields within a block, as allocations of CUDA are.
constexpr size_t kFieldAlign = 256;
constexpr size_t aligned(size_t bytes) {
  return (bytes + kFieldAlign - 1) / kFieldAlign * kFieldAlign;
}

/// Bytes of new memory where `had` are too few for `needed`: with a quarter to spare, so that items
/// that get larger bit by bit do not need new memory each time.
constexpr size_t grown(size_t had, size_t needed) { return std::max(needed, had + had / 4); }

/// Tensors that follow each other in one block, with no more between them than their alignment
/// needs, move by one copy; each other one by its own. None is aligned worse than in its source.
struct Extent {
  struct Copy {
    const char* from;
    size_t bytes;
    size_t to;  ///< in the device's memory, which is aligned to kFieldAlign
  };

  /// Dense ones; they must live as long as it does.
  explicit Extent(const std::vector<const Tensor*>& sources);

  std::vector<Copy> copies;     ///< none of no bytes
  std::vector<size_t> offsets;  ///< of each tensor
  size_t bytes = 0;             ///< that the tensors need there
};

}  // namespace penstock::operators
