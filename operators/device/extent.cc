#include "device/extent.h"

#include <cstdint>
#include <optional>

namespace penstock::operators {
namespace {

size_t beyond_alignment(const char* at) { return reinterpret_cast<uintptr_t>(at) % kFieldAlign; }

/// Whether the tensor lies where its block says that its memory is. Another owner than an allocator
/// may hold several memories, and what is between them is nobody's to read.
bool inside_block(const Tensor& tensor, size_t tensors) {
  const Buffer& block = *tensor.owner().get();
  const auto* const begin = tensor.data_as<char>();
  const auto* const first = static_cast<const char*>(block.data);
  return begin >= first && begin + tensor.nbytes() <= first + block.bytes + tensors * kFieldAlign;
}

/// Whether one copy moves both, and is worth it.
bool follows(const Tensor& tensor, const Tensor& before, size_t tensors) {
  if (tensor.owner().get() == nullptr || tensor.owner().get() != before.owner().get()) return false;
  const auto* const begin = tensor.data_as<char>();
  const auto* const end = before.data_as<char>() + before.nbytes();
  return begin >= end && static_cast<size_t>(begin - end) < kFieldAlign &&
         beyond_alignment(begin) % size_of(tensor.dtype()) == 0 && inside_block(before, tensors) &&
         inside_block(tensor, tensors);
}

}  // namespace

Extent::Extent(const std::vector<const Tensor*>& sources) {
  offsets.resize(sources.size());  // of a tensor without bytes: anywhere
  std::optional<size_t> before;    // the last one with bytes
  bool alone = false;              // in its copy
  for (size_t i = 0; i < sources.size(); ++i) {
    const Tensor& tensor = *sources[i];
    if (tensor.nbytes() == 0) continue;
    const auto* const begin = tensor.data_as<char>();
    if (before && follows(tensor, *sources[*before], sources.size())) {
      Copy& copy = copies.back();
      if (alone) {  // from here on as far beyond the alignment as in the source
        copy.to += beyond_alignment(copy.from);
        offsets[*before] = copy.to;
      }
      copy.bytes = static_cast<size_t>(begin - copy.from) + tensor.nbytes();
      alone = false;
    } else {
      copies.push_back({begin, tensor.nbytes(), aligned(bytes)});
      alone = true;
    }
    offsets[i] = copies.back().to + static_cast<size_t>(begin - copies.back().from);
    bytes = copies.back().to + copies.back().bytes;
    before = i;
  }
}

}  // namespace penstock::operators
