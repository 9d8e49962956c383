#define TORCH_ASSERT_ONLY_METHOD_OPERATORS
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <doctest/doctest.h>
#include <penstock/torch.h>

#include <cstring>
#include <thread>
#include <vector>

namespace penstock {
namespace {

/// Counts how often a buffer's memory was given back, and on which thread.
struct Released {
  int count = 0;
  std::thread::id thread;
};

/// A tensor in memory that is told apart from the heap's, as a pool's is.
Tensor pooled(const std::vector<int64_t>& shape, DType dtype, Released* released) {
  struct Block {
    std::vector<uint8_t> memory;
    Released* released;
  };
  Tensor plain = Tensor::empty(shape, dtype);
  auto* block = new Block{std::vector<uint8_t>(plain.nbytes() + 1), released};
  BufferRef owner =
      wrap_memory(block->memory.data(), block->memory.size(), block, [](void* context) {
        auto* done = static_cast<Block*>(context);
        done->released->count += 1;
        done->released->thread = std::this_thread::get_id();
        delete done;
      });
  return Tensor(std::move(owner), block->memory.data(), dtype, shape);
}

TEST_CASE("every element type travels both ways without a copy") {
  for (int i = 0; i <= static_cast<int>(DType::kBool); ++i) {
    const auto dtype = static_cast<DType>(i);
    CAPTURE(name_of(dtype));
    Tensor tensor = Tensor::empty({2, 3}, dtype, Layout::kNone);
    std::memset(tensor.mutable_data(), 1, tensor.nbytes());
    const at::Tensor there = to_torch(tensor);
    CHECK(there.element_size() == static_cast<int64_t>(size_of(dtype)));
    CHECK(there.sizes() == at::IntArrayRef({2, 3}));
    CHECK(there.const_data_ptr() == tensor.data());
    CHECK(there.is_contiguous());
    CHECK(there.device().is_cpu());
    const Tensor back = from_torch(there);
    CHECK(back.dtype() == dtype);
    CHECK(back.data() == tensor.data());
    CHECK(back.describe() == tensor.describe());
  }
}

TEST_CASE("values are seen from both sides") {
  Tensor tensor = Tensor::empty({4}, DType::kFloat32);
  for (int i = 0; i < 4; ++i) tensor.mutable_data_as<float>()[i] = static_cast<float>(i);
  const at::Tensor there = to_torch(tensor);
  CHECK(there.sum().item<float>() == 6);
  there.mul_(2);
  CHECK(tensor.data_as<float>()[3] == 6);
}

TEST_CASE("strides, scalars and empty tensors travel") {
  Tensor turned = Tensor::empty({2, 3}, DType::kInt32);
  turned.set_strides(std::vector<int64_t>{1, 2});
  CHECK(to_torch(turned).strides() == at::IntArrayRef({1, 2}));

  const at::Tensor picture = at::empty({2, 3, 4, 5}, at::kFloat);
  const at::Tensor window = picture.permute({0, 2, 3, 1}).slice(1, 1, 3);
  const Tensor view = from_torch(window, Layout::kNHWC);
  CHECK(view.data() == window.const_data_ptr());
  CHECK(view.describe() == "float32 [2, 2, 5, 3] NHWC");
  CHECK(view.stride(3) == 20);
  CHECK(!view.contiguous());
  CHECK(to_torch(view).strides() == window.strides());

  CHECK(to_torch(Tensor::empty({}, DType::kInt64)).dim() == 0);
  CHECK(to_torch(Tensor::empty({0, 3}, DType::kInt64)).sizes() == at::IntArrayRef({0, 3}));
  CHECK(from_torch(at::empty({3, 0})).numel() == 0);
  CHECK(!to_torch(Tensor()).defined());
  CHECK(!from_torch(at::Tensor()).defined());
}

TEST_CASE("the memory lives until the last at::Tensor is gone, and is given back once") {
  Released released;
  at::Tensor part;
  {
    Tensor tensor = pooled({8, 2}, DType::kFloat32, &released);
    std::memset(tensor.mutable_data(), 0, tensor.nbytes());
    const at::Tensor all = to_torch(tensor);
    part = all.select(0, 7);  // a view shares the storage
  }
  CHECK(released.count == 0);
  CHECK(part.sum().item<float>() == 0);
  part = at::Tensor();
  CHECK(released.count == 1);
}

TEST_CASE("the last reference may be dropped on another thread") {
  Released released;
  at::Tensor there = to_torch(pooled({8}, DType::kUInt8, &released));
  std::thread::id other;
  std::thread thread([&] {
    other = std::this_thread::get_id();
    there = at::Tensor();
  });
  thread.join();
  CHECK(released.count == 1);
  CHECK(released.thread == other);
}

TEST_CASE("many threads make and drop at::Tensors of one tensor") {
  Released released;
  {
    const Tensor tensor = pooled({64}, DType::kFloat32, &released);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1000; ++i) CHECK(to_torch(tensor).numel() == 64);
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(released.count == 0);
  }
  CHECK(released.count == 1);
}

TEST_CASE("a torch tensor's memory lives as long as the Penstock tensor") {
  Tensor kept;
  {
    const at::Tensor source = at::arange(5, at::kLong);
    kept = from_torch(source.slice(0, 2));
  }
  CHECK(kept.data_as<int64_t>()[2] == 4);
  CHECK(to_torch(kept).sum().item<int64_t>() == 9);
}

TEST_CASE("the result takes part in autograd") {
  at::Tensor weight = to_torch(Tensor::empty({2}, DType::kFloat32));
  weight.fill_(3);
  weight.requires_grad_(true);
  weight.mul(weight).sum().backward();
  CHECK(weight.grad().sum().item<float>() == 12);
  CHECK(!weight.is_inference());
}

TEST_CASE("what a plain view cannot say is refused") {
  CHECK_THROWS_WITH_AS(from_torch(at::empty({2}, at::kBFloat16)),
                       "torch's element type BFloat16 has no counterpart in Penstock; convert the "
                       "tensor first, for example with to(at::kFloat)",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(from_torch(at::zeros({2, 2}).to_sparse()),
                       "a sparse torch tensor has no plain memory; use to_dense() first",
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(from_torch(at::empty({1, 1, 1, 1, 1, 1, 1})),
                       "a torch tensor with 7 dimensions cannot be used; at most 6 are possible",
                       std::invalid_argument);
  CHECK_THROWS_AS(from_torch(at::empty({1}, at::kComplexFloat)), std::invalid_argument);
  CHECK_THROWS_WITH_AS(from_torch(at::empty({1}, at::TensorOptions(at::kMeta))),
                       "a torch tensor on meta cannot be used; move it to the CPU first",
                       std::invalid_argument);
}

}  // namespace
}  // namespace penstock
