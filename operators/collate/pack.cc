#include "collate/pack.h"

#include <cstring>
#include <stdexcept>

namespace penstock::operators {
namespace {

/// Copies dimension `dim` and those behind it; returns the place after what was written.
uint8_t* copy_dims(const Tensor& tensor, int dim, const uint8_t* from, uint8_t* out) {
  const size_t width = size_of(tensor.dtype());
  if (dim == tensor.dims()) {
    std::memcpy(out, from, width);
    return out + width;
  }
  const int64_t count = tensor.size(dim);
  if (dim == tensor.dims() - 1 && tensor.stride(dim) == 1) {
    const size_t bytes = static_cast<size_t>(count) * width;
    std::memcpy(out, from, bytes);
    return out + bytes;
  }
  const int64_t step = tensor.stride(dim) * static_cast<int64_t>(width);
  for (int64_t i = 0; i < count; ++i) out = copy_dims(tensor, dim + 1, from + i * step, out);
  return out;
}

std::string describe(const Field& field) {
  if (std::holds_alternative<std::string>(field)) return "a text";
  if (std::holds_alternative<std::vector<std::string>>(field)) return "a list of texts";
  const auto& tensor = std::get<Tensor>(field);
  return tensor.defined() ? tensor.describe() : "nothing";
}

const Field& field_of(const Context& ctx, int field, size_t i) {
  return ctx.in(i).fields.at(static_cast<size_t>(field));
}

[[noreturn]] void throw_mismatch(const Context& ctx, int field, const std::string& name, size_t i) {
  std::string message = "field '" + name +
                        "' differs within the batch: " + describe(field_of(ctx, field, 0)) +
                        " in sample 0 (" + ctx.key(0) + "), " + describe(field_of(ctx, field, i)) +
                        " in sample " + std::to_string(i) + " (" + ctx.key(i) + ")";
  const auto* first = std::get_if<Tensor>(&field_of(ctx, field, 0));
  const auto* other = std::get_if<Tensor>(&field_of(ctx, field, i));
  const bool shapes = first != nullptr && other != nullptr && first->dtype() == other->dtype();
  throw std::invalid_argument(message +
                              (shapes ? "; bring them to one shape first (resize, center_crop)"
                                      : "; bring them to one type first"));
}

bool alike(const Tensor& a, const Tensor& b) {
  if (a.defined() != b.defined() || a.dtype() != b.dtype() || a.dims() != b.dims()) return false;
  for (int dim = 0; dim < a.dims(); ++dim) {
    if (a.size(dim) != b.size(dim)) return false;
  }
  return a.layout() == b.layout();
}

void stack(Context& ctx, int field, const std::string& name) {
  const Tensor& first = ctx.tensor(field, 0);
  for (size_t i = 1; i < ctx.count(); ++i) {
    const auto* other = std::get_if<Tensor>(&field_of(ctx, field, i));
    if (other == nullptr || !alike(first, *other)) throw_mismatch(ctx, field, name, i);
  }
  if (!first.defined()) return;
  if (first.dims() == Tensor::kMaxDims) {
    throw std::invalid_argument("field '" + name + "' is " + first.describe() +
                                ", and a batch of it would have more than " +
                                std::to_string(Tensor::kMaxDims) + " dimensions");
  }
  if (!first.device().is_host()) {
    throw std::invalid_argument("field '" + name +
                                "' lies on a device; collate first, then copy the batch");
  }
  std::vector<int64_t> sizes(first.shape().begin(), first.shape().end());
  sizes.insert(sizes.begin(), static_cast<int64_t>(ctx.count()));
  Tensor& batch = ctx.output(field, sizes, first.dtype(), batch_layout(first.layout()));
  auto* out = batch.mutable_data_as<uint8_t>();
  const size_t bytes = first.nbytes();
  for (size_t i = 0; i < ctx.count(); ++i) copy_dense(ctx.tensor(field, i), out + i * bytes);
}

void list(Context& ctx, int field, const std::string& name) {
  std::vector<std::string> texts;
  texts.reserve(ctx.count());
  for (size_t i = 0; i < ctx.count(); ++i) {
    const auto* text = std::get_if<std::string>(&field_of(ctx, field, i));
    if (text == nullptr) throw_mismatch(ctx, field, name, i);
    texts.push_back(*text);
  }
  ctx.set(field, std::move(texts));
}

}  // namespace

Layout batch_layout(Layout layout) {
  if (layout == Layout::kHWC) return Layout::kNHWC;
  return layout == Layout::kCHW ? Layout::kNCHW : Layout::kNone;
}

void copy_dense(const Tensor& tensor, void* out) {
  if (tensor.numel() == 0) return;
  if (tensor.contiguous()) {
    std::memcpy(out, tensor.data(), tensor.nbytes());
  } else {
    copy_dims(tensor, 0, tensor.data_as<uint8_t>(), static_cast<uint8_t*>(out));
  }
}

void pack_field(Context& ctx, int field, const std::string& name) {
  const Field& first = field_of(ctx, field, 0);
  if (std::holds_alternative<std::vector<std::string>>(first)) {
    throw std::invalid_argument("field '" + name +
                                "' is a list of texts, and lists are not put together; collate "
                                "once only, or leave the field out");
  }
  if (std::holds_alternative<Tensor>(first)) {
    stack(ctx, field, name);
  } else {
    list(ctx, field, name);
  }
}

}  // namespace penstock::operators
