#include "penstock/random.h"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <vector>

namespace penstock {
namespace {

using Block = std::array<uint32_t, 4>;

// Known answers of the Random123 distribution (kat_vectors, "philox4x32 10").
TEST_CASE("Philox gives the known answers") {
  CHECK(philox4x32({0, 0, 0, 0}, {0, 0}) == Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

// Numbers that pipelines have drawn must not change from one version to the next.
TEST_CASE("streams of random numbers stay what they are") {
  Origin origin{.source = 1, .epoch = 2, .position = 3};
  Rng rng(17, origin, hash_text("augment"));
  const std::vector<uint32_t> drawn = {rng.next_u32(), rng.next_u32(), rng.next_u32(),
                                       rng.next_u32(), rng.next_u32()};
  CHECK(drawn ==
        std::vector<uint32_t>{1194667325U, 353240060U, 3797404475U, 3107214582U, 901664934U});
  CHECK(hash_text("augment") == 4359836468818678763ULL);
  CHECK(mix64(1, 2) == 3064675222518321462ULL);
  std::vector<uint64_t> order;
  const Permutation shuffle(10, 17, 0, 0);
  for (uint64_t i = 0; i < 10; ++i) order.push_back(shuffle(i));
  CHECK(order == std::vector<uint64_t>{5, 2, 1, 6, 0, 7, 8, 9, 4, 3});
}

TEST_CASE("every part of the key changes the numbers, and nothing else does") {
  const Origin base{.source = 1, .epoch = 1, .position = 1, .depth = 1, .child = {1}};
  std::set<uint64_t> seen;
  const auto first = [&](uint64_t seed, Origin origin, uint64_t stream) {
    return Rng(seed, origin, stream).next_u64();
  };
  const auto with = [&](auto change) {
    Origin origin = base;
    change(origin);
    return first(1, origin, 1);
  };
  seen.insert(first(1, base, 1));
  seen.insert(first(2, base, 1));
  seen.insert(first(1, base, 2));
  seen.insert(with([](Origin& o) { o.source = 2; }));
  seen.insert(with([](Origin& o) { o.epoch = 2; }));
  seen.insert(with([](Origin& o) { o.position = 2; }));
  seen.insert(with([](Origin& o) { o.position += uint64_t{1} << 32; }));
  seen.insert(with([](Origin& o) { o.child[0] = 2; }));
  seen.insert(with([](Origin& o) { o.depth = 0; }));
  seen.insert(with([](Origin& o) { o.depth = 2; }));
  CHECK(seen.size() == 10);
  CHECK(with([](Origin& o) { o.index = 9; }) == first(1, base, 1));
  CHECK(with([](Origin& o) { o.shard = 9; }) == first(1, base, 1));
}

TEST_CASE("uniform lies in [0, 1) and has mean 1/2; normal has mean 0 and variance 1") {
  Rng rng(3, Origin{}, 4);
  constexpr int kDraws = 100'000;
  double sum = 0, normal_sum = 0, normal_square = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double value = rng.uniform();
    REQUIRE((value >= 0 && value < 1));
    sum += value;
    const double normal = rng.normal();
    normal_sum += normal;
    normal_square += normal * normal;
  }
  CHECK(std::abs(sum / kDraws - 0.5) < 0.005);
  CHECK(std::abs(normal_sum / kDraws) < 0.02);
  CHECK(std::abs(normal_square / kDraws - 1) < 0.03);
}

TEST_CASE("below is uniform, also where n does not divide 2^64") {
  Rng rng(5, Origin{}, 6);
  std::array<int, 7> counts{};
  constexpr int kDraws = 70'000;
  for (int i = 0; i < kDraws; ++i) ++counts.at(rng.below(7));
  double chi_square = 0;
  for (const int count : counts) chi_square += std::pow(count - kDraws / 7.0, 2) / (kDraws / 7.0);
  CHECK(chi_square < 22.5);  // 6 degrees of freedom, p = 0.001
  CHECK(rng.below(1) == 0);
  const uint64_t large = (uint64_t{1} << 63) + 1;  // rejects almost half of the draws
  for (int i = 0; i < 1000; ++i) CHECK(rng.below(large) < large);
}

TEST_CASE("a permutation is a bijection for every size up to 2000 and some large ones") {
  for (uint64_t size = 0; size <= 2000; ++size) {
    const Permutation permutation(size, 17 + size, 0, 3);
    std::vector<bool> seen(size);
    for (uint64_t i = 0; i < size; ++i) {
      const uint64_t value = permutation(i);
      REQUIRE(value < size);
      REQUIRE_FALSE(seen[value]);
      seen[value] = true;
    }
  }
  const uint64_t huge = (uint64_t{1} << 62) + 12345;
  const Permutation permutation(huge, 1, 0, 0);
  std::set<uint64_t> values;
  for (uint64_t i = 0; i < 10'000; ++i) values.insert(permutation(i * 461'168'601'842'738ULL));
  CHECK(values.size() == 10'000);
  CHECK(*values.rbegin() < huge);
}

TEST_CASE("over many seeds all 120 orders of five records are equally frequent") {
  std::vector<int> counts(3125);
  constexpr int kSeeds = 120'000;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    const Permutation permutation(5, seed, 0, 0);
    uint64_t code = 0;
    for (uint64_t i = 0; i < 5; ++i) code = code * 5 + permutation(i);
    ++counts.at(code);
  }
  int orders = 0;
  double chi_square = 0;
  for (const int count : counts) {
    if (count == 0) continue;
    ++orders;
    chi_square += std::pow(count - kSeeds / 120.0, 2) / (kSeeds / 120.0);
  }
  CHECK(orders == 120);
  CHECK(chi_square < 173.6);  // 119 degrees of freedom, p = 0.0008
  CHECK(chi_square > 70);     // nor too even
}

TEST_CASE("epochs and sources have orders of their own") {
  const auto order = [](uint64_t seed, uint32_t source, uint32_t epoch) {
    const Permutation permutation(50, seed, source, epoch);
    std::vector<uint64_t> values;
    for (uint64_t i = 0; i < 50; ++i) values.push_back(permutation(i));
    return values;
  };
  const std::set<std::vector<uint64_t>> orders = {order(1, 0, 0), order(2, 0, 0), order(1, 1, 0),
                                                  order(1, 0, 1)};
  CHECK(orders.size() == 4);
  CHECK(order(1, 2, 3) == order(1, 2, 3));
}

}  // namespace
}  // namespace penstock
