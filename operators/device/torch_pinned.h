#pragma once
/// Pinned memory of torch's own allocator: it knows of copies that torch makes from there, and
/// gives the memory to nobody else before they are over.

#include <functional>
#include <memory>
#include <string>

#include "penstock/device.h"

namespace penstock::operators {

struct PinnedMemory {
  std::shared_ptr<ItemMemory> memory;  ///< null: there is none
  std::string reason;                  ///< then, in words
};
using PinnedFinder = std::function<PinnedMemory()>;

/// Where there is a CUDA device, and a libtorch that has CUDA.
PinnedMemory find_torch_pinned();

}  // namespace penstock::operators
