#include "device/torch_pinned.h"

#include <algorithm>

#include "device/beside.h"
#include "device/find_device.h"
#include "device/torch/pinned.h"

namespace penstock::operators {
namespace {

/// Each piece is an allocation of its own: torch finds its memory by where it begins.
class TorchPinned final : public ItemMemory {
 public:
  explicit TorchPinned(const TorchPinnedFunctions& torch) : torch_(torch) {}

  Piece allocate(size_t bytes, const std::shared_ptr<ByteAccount>& account,
                 BufferRef* block) override {
    (void)block;
    auto kept = std::make_unique<Kept>();
    kept->torch = &torch_;
    kept->account = account;
    std::string reason;
    // Of no bytes torch gives no address.
    void* const data = torch_.allocate(std::max<size_t>(bytes, 1), &kept->tensor, &reason);
    if (data == nullptr) throw MachineError("pinned memory of torch: " + reason);
    BufferRef owner = wrap_memory(data, bytes, kept.get(), &Kept::release);
    (void)kept.release();  // the buffer has it now
    owner.get()->account = account.get();
    owner.get()->counted = account != nullptr;
    if (account != nullptr) account->add(bytes);
    return {owner, data};
  }
  Device device() const override { return {Device::Kind::kPinned, 0}; }

 private:
  struct Kept {
    ~Kept() {
      if (tensor != nullptr) torch->free(tensor);
    }
    static void release(void* kept) { delete static_cast<Kept*>(kept); }
    const TorchPinnedFunctions* torch = nullptr;
    void* tensor = nullptr;
    std::shared_ptr<ByteAccount> account;
  };
  const TorchPinnedFunctions& torch_;
};

}  // namespace

PinnedMemory find_torch_pinned() {
  const FoundDevice device = find_device("cuda:0", 0);
  if (device.runtime == nullptr) return {nullptr, device.reason};
  const Beside found = find_beside("libpenstock_torch.so", "penstock_torch_pinned",
                                   "Penstock was built without libtorch");
  if (found.entry == nullptr) return {nullptr, found.reason};
  const auto* torch = reinterpret_cast<const TorchPinnedFunctions* (*)()>(found.entry)();
  if (!torch->has_cuda()) return {nullptr, "the libtorch of this program has no CUDA"};
  return {std::make_shared<TorchPinned>(*torch), ""};
}

}  // namespace penstock::operators
