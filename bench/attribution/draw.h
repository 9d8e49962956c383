#pragma once
/// Seeded draws that are the same on every machine.

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "penstock/random.h"

namespace penstock::bench::attribution {

class Draw {
 public:
  explicit Draw(uint64_t seed) : state_(mix64(seed, 0x6174747269627574ULL)) {}
  uint64_t next() { return state_ = mix64(state_, 0x9e3779b97f4a7c15ULL); }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// 0 .. n-1
  int below(int n) { return static_cast<int>(next() % static_cast<uint64_t>(n)); }
  int between(int low, int high) { return low + below(high - low + 1); }
  bool chance(double probability) { return uniform() < probability; }
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }
  template <typename T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<int>(values.size()))];
  }
  template <typename T>
  void shuffle(std::vector<T>* values) {
    for (size_t i = values->size(); i > 1; --i) {
      std::swap((*values)[i - 1], (*values)[next() % i]);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace penstock::bench::attribution
