// SmallVector against std::vector.

#include "runtime/small_vector.h"

#include <doctest/doctest.h>

#include <vector>

namespace penstock {
namespace {

template <size_t N>
std::vector<int> contents(const SmallVector<int, N>& small) {
  return {small.begin(), small.end()};
}

TEST_CASE("small vector: grows past its own places and keeps its elements") {
  SmallVector<int, 2> small;
  CHECK(small.empty());
  std::vector<int> expected;
  for (int i = 0; i < 20; ++i) {
    small.push_back(i);
    expected.push_back(i);
    CHECK(contents(small) == expected);
  }
  small.pop_back();
  small.push_front(-1);
  expected.pop_back();
  expected.insert(expected.begin(), -1);
  CHECK(contents(small) == expected);
  CHECK(small.back() == 18);
  small.assign(3, 7);
  CHECK(contents(small) == std::vector<int>{7, 7, 7});
  small.clear();
  CHECK(small.empty());
}

TEST_CASE("small vector: swaps whichever way each one keeps its elements") {
  const std::vector<int> few = {1, 2}, many = {3, 4, 5, 6, 7};
  for (const auto& a : {few, many}) {
    for (const auto& b : {few, many}) {
      SmallVector<int, 2> x, y;
      for (const int i : a) x.push_back(i);
      for (const int i : b) y.push_back(i);
      x.swap(y);
      CHECK(contents(x) == b);
      CHECK(contents(y) == a);
      x.push_back(9);
      CHECK(x.back() == 9);
      CHECK(contents(y) == a);
    }
  }
}

}  // namespace
}  // namespace penstock
