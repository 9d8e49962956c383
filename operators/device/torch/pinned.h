#pragma once
/// What the library penstock_torch gives: it links libtorch, and nothing else of the operators
/// does.

#include <cstddef>
#include <string>

namespace penstock::operators {

struct TorchPinnedFunctions {
  bool (*has_cuda)();
  /// Pinned memory from torch's allocator with its owner; null: `reason` says why.
  void* (*allocate)(size_t bytes, void** owner, std::string* reason);
  void (*free)(void* owner);
};

}  // namespace penstock::operators
