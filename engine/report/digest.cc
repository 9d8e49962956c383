#include "report/digest.h"

#include <fmt/core.h>
#include <xxhash.h>

#include <array>
#include <cstring>
#include <stdexcept>

namespace penstock {

struct BatchDigest::State {
  XXH3_state_t* xxh = XXH3_createState();
  ~State() { XXH3_freeState(xxh); }

  void bytes(const void* data, size_t size) {
    if (size > 0) XXH3_128bits_update(xxh, data, size);
  }
  void number(uint64_t value) {
    std::array<uint8_t, 8> little{};
    for (size_t i = 0; i < little.size(); ++i) little[i] = static_cast<uint8_t>(value >> (8 * i));
    bytes(little.data(), little.size());
  }
  void text(const std::string& value) {
    number(value.size());
    bytes(value.data(), value.size());
  }
  void origin(const Origin& origin) {
    number(origin.source);
    number(origin.epoch);
    number(origin.position);
    number(origin.depth);
    for (uint32_t i = 0; i < origin.depth && i < Origin::kMaxDepth; ++i) number(origin.child[i]);
  }
  void elements(const Tensor& tensor);
  void field(const Field& field);
};

/// The elements in row-major order of the shape, whatever the strides; dense rows at once.
void BatchDigest::State::elements(const Tensor& tensor) {
  if (tensor.numel() == 0) return;
  const auto* base = static_cast<const uint8_t*>(tensor.data());
  const auto unit = static_cast<int64_t>(size_of(tensor.dtype()));
  if (tensor.contiguous()) return bytes(base, tensor.nbytes());
  const int dims = tensor.dims();
  std::array<int64_t, Tensor::kMaxDims> at{};
  while (true) {
    int64_t offset = 0;
    for (int d = 0; d < dims; ++d) offset += at[static_cast<size_t>(d)] * tensor.stride(d);
    if (tensor.stride(dims - 1) == 1) {
      bytes(base + offset * unit, static_cast<size_t>(tensor.size(dims - 1) * unit));
    } else {
      for (int64_t i = 0; i < tensor.size(dims - 1); ++i) {
        bytes(base + (offset + i * tensor.stride(dims - 1)) * unit, static_cast<size_t>(unit));
      }
    }
    int d = dims - 2;  // the last dimension was done as a row
    while (d >= 0 && ++at[static_cast<size_t>(d)] == tensor.size(d)) {
      at[static_cast<size_t>(d)] = 0;
      --d;
    }
    if (d < 0) return;
  }
}

void BatchDigest::State::field(const Field& field) {
  number(field.index());
  if (const auto* tensor = std::get_if<Tensor>(&field)) {
    number(static_cast<uint64_t>(tensor->dtype()));
    number(static_cast<uint64_t>(tensor->dims()));
    for (const int64_t size : tensor->shape()) number(static_cast<uint64_t>(size));
    elements(on_host(*tensor));
  } else if (const auto* one = std::get_if<std::string>(&field)) {
    text(*one);
  } else {
    const auto& texts = std::get<std::vector<std::string>>(field);
    number(texts.size());
    for (const std::string& each : texts) text(each);
  }
}

BatchDigest::BatchDigest() : state_(std::make_unique<State>()) {
  if (state_->xxh == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_->xxh);
}

BatchDigest::~BatchDigest() = default;

void BatchDigest::add(const std::vector<std::string>& names, const Item& item) {
  state_->number(item.is_batch() ? item.samples.size() : 0);
  state_->origin(item.origin);
  for (const Origin& origin : item.samples) state_->origin(origin);
  for (size_t i = 0; i < item.fields.size(); ++i) {
    const auto* tensor = std::get_if<Tensor>(&item.fields[i]);
    if (tensor != nullptr && !tensor->defined()) continue;  // a field that was removed
    state_->text(i < names.size() ? names[i] : "");
    state_->field(item.fields[i]);
  }
  state_->number(~uint64_t{0});  // the end of this batch's fields
}

std::string BatchDigest::value() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->xxh);
  return fmt::format("xxh3:{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace penstock
