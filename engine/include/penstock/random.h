#pragma once
/// The only source of randomness: a counter generator keyed by the sample, never by thread or time.

#include <array>
#include <cstdint>
#include <string_view>

#include "penstock/item.h"

namespace penstock {

/// 64-bit mix of two words (the finaliser of SplitMix64, applied to a sum with odd constants).
uint64_t mix64(uint64_t a, uint64_t b);
/// 64-bit hash of a text (FNV-1a, then mixed): the value of a node's `stream`.
uint64_t hash_text(std::string_view text);

/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC11).
/// One block of four words for a key and a counter.
std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

/// A stream of random numbers for one sample in one node. Equal (seed, origin, stream) give equal
/// numbers at any concurrency. Not thread-safe; it belongs to one firing.
class Rng {
 public:
  /// The key is (seed, source, epoch, position, child path, stream).
  Rng(uint64_t seed, const Origin& origin, uint64_t stream);

  uint32_t next_u32();
  uint64_t next_u64();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Uniform in [low, high).
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// Uniform in 0 .. n-1 without bias (Lemire's multiply and reject); n > 0.
  uint64_t below(uint64_t n);
  bool bernoulli(double probability) { return uniform() < probability; }
  /// Standard normal (Box and Muller).
  double normal();

 private:
  std::array<uint32_t, 2> key_;
  std::array<uint32_t, 4> counter_;
  std::array<uint32_t, 4> block_{};
  int used_ = 4;
};

/// A permutation of 0 .. size-1 as a function of the position (a Feistel network with cycle
/// walking), keyed by (seed, source, epoch): the engine's sampler. No memory, any position at once.
class Permutation {
 public:
  Permutation(uint64_t size, uint64_t seed, uint32_t source, uint32_t epoch);
  uint64_t operator()(uint64_t position) const;

 private:
  uint64_t round(uint64_t value) const;
  uint64_t size_;
  uint64_t key_;
  int half_bits_;
};

}  // namespace penstock
