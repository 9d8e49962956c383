#include "report/digest.h"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace penstock;

namespace {

struct Example {
  std::vector<std::string> names = {"image", "label", "name", "names"};
  Item item;
};

Tensor counting(std::initializer_list<int64_t> shape, DType dtype) {
  Tensor tensor = Tensor::empty(shape, dtype);
  auto* bytes = tensor.mutable_data_as<uint8_t>();
  for (size_t i = 0; i < tensor.nbytes(); ++i) bytes[i] = static_cast<uint8_t>(i);
  return tensor;
}

Example example() {
  Example made;
  made.item.samples.resize(2);
  made.item.samples[0].position = made.item.origin.position = 4;
  made.item.samples[1].position = 5;
  made.item.fields = {counting({2, 3, 4}, DType::kUInt8), counting({2}, DType::kInt64),
                      std::string("one"), std::vector<std::string>{"a", "b"}};
  return made;
}

std::string digest_of(const Example& made) {
  BatchDigest digest;
  digest.add(made.names, made.item);
  return digest.value();
}

}  // namespace

TEST_CASE("equal batches give equal digests of 32 digits") {
  CHECK(digest_of(example()) == digest_of(example()));
  CHECK(digest_of(example()).size() == 5 + 32);
  CHECK(BatchDigest().value().substr(0, 5) == "xxh3:");
}

TEST_CASE("each part of a batch changes the digest") {
  const std::vector<std::function<void(Example&)>> changes = {
      [](Example&) {},
      [](Example& e) { std::get<Tensor>(e.item.fields[0]).mutable_data_as<uint8_t>()[23] ^= 1; },
      [](Example& e) {
        e.item.fields[0] = counting({2, 4, 3}, DType::kUInt8);
      },
      [](Example& e) {
        e.item.fields[0] = counting({2, 3, 4, 1}, DType::kUInt8);
      },
      [](Example& e) {
        e.item.fields[0] = counting({2, 3, 4}, DType::kInt8);
      },
      [](Example& e) { e.item.fields[1] = counting({0}, DType::kInt64); },
      [](Example& e) { e.item.fields[2] = std::string("ond"); },
      [](Example& e) {
        e.item.fields[3] = std::vector<std::string>{"ab", ""};
      },
      [](Example& e) {
        e.item.fields[3] = std::vector<std::string>{"b", "a"};
      },
      [](Example& e) { e.item.fields.pop_back(); },
      [](Example& e) { e.names[1] = "class"; },
      [](Example& e) { e.item.samples[1].source = 1; },
      [](Example& e) { e.item.samples[1].epoch = 1; },
      [](Example& e) { e.item.samples[1].position = 6; },
      [](Example& e) { e.item.samples[1].depth = 1; },
      [](Example& e) { e.item.samples[1].depth = 1, e.item.samples[1].child[0] = 3; },
      [](Example& e) { std::swap(e.item.samples[0], e.item.samples[1]); },
      [](Example& e) { e.item.samples.pop_back(); },
  };
  std::set<std::string> seen;
  for (const auto& change : changes) {
    Example made = example();
    change(made);
    seen.insert(digest_of(made));
  }
  CHECK(seen.size() == changes.size());
}

TEST_CASE("the order of batches and where one ends change the digest") {
  Example first = example(), second = example();
  second.item.samples[0].position = 9;
  BatchDigest forth, back, one;
  forth.add(first.names, first.item);
  one.add(first.names, first.item);
  forth.add(second.names, second.item);
  back.add(second.names, second.item);
  back.add(first.names, first.item);
  CHECK(forth.value() != back.value());
  CHECK(forth.value() != one.value());
}

TEST_CASE("strides and unused fields do not change the digest") {
  Example plain = example(), turned = example();
  // The same logical elements, the last two dimensions swapped in memory.
  Tensor swapped = Tensor::empty({2, 3, 4}, DType::kUInt8);
  swapped.set_strides(std::array<int64_t, 3>{12, 1, 3});
  auto* to = swapped.mutable_data_as<uint8_t>();
  for (int64_t i = 0; i < 24; ++i) {
    to[i / 12 * 12 + (i % 4) * 3 + i / 4 % 3] = static_cast<uint8_t>(i);
  }
  turned.item.fields[0] = swapped;
  CHECK(digest_of(plain) == digest_of(turned));

  // Rows that lie apart.
  Tensor wide = counting({2, 3, 8}, DType::kUInt8);
  Tensor view(wide.owner(), wide.mutable_data(), DType::kUInt8, std::array<int64_t, 3>{2, 3, 4});
  view.set_strides(std::array<int64_t, 3>{24, 8, 1});
  Tensor dense = Tensor::empty({2, 3, 4}, DType::kUInt8);
  for (int64_t i = 0; i < 24; ++i) {
    dense.mutable_data_as<uint8_t>()[i] = static_cast<uint8_t>(i / 4 * 8 + i % 4);
  }
  plain.item.fields[0] = dense;
  turned.item.fields[0] = view;
  CHECK(digest_of(plain) == digest_of(turned));

  turned.item.fields.emplace_back(Tensor());
  turned.names.emplace_back();
  CHECK(digest_of(plain) == digest_of(turned));
}
