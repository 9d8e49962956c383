#include "penstock/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace penstock {
namespace {

constexpr int kPhiloxRounds = 10;
constexpr int kFeistelRounds = 8;
// Below 3 bits a half, a Feistel network gives too few different permutations.
constexpr int kMinHalfBits = 3;

__extension__ using Uint128 = unsigned __int128;

// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
// generators", OOPSLA 2014; the constants are Stafford's variant 13).
uint64_t finalise(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

uint32_t low(uint64_t value) { return static_cast<uint32_t>(value); }
uint32_t high(uint64_t value) { return static_cast<uint32_t>(value >> 32); }

}  // namespace

uint64_t mix64(uint64_t a, uint64_t b) {
  return finalise(a * 0x9e3779b97f4a7c15ULL + b * 0xd1342543de82ef95ULL + 0x2545f4914f6cdd1dULL);
}

uint64_t hash_text(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3ULL;
  }
  return mix64(hash, text.size());
}

std::array<uint32_t, 4> philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int i = 0; i < kPhiloxRounds; ++i) {
    const uint64_t first = uint64_t{0xD2511F53U} * counter[0];
    const uint64_t second = uint64_t{0xCD9E8D57U} * counter[2];
    counter = {high(second) ^ counter[1] ^ key[0], low(second), high(first) ^ counter[3] ^ key[1],
               low(first)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

// Position and epoch stand in the counter as they are, so that samples of one node never share
// numbers; the rest is hashed into the key.
Rng::Rng(uint64_t seed, const Origin& origin, uint64_t stream) {
  uint64_t key = mix64(mix64(seed, stream), origin.source);
  for (uint32_t i = 0; i < origin.depth && i < Origin::kMaxDepth; ++i) {
    key = mix64(key, uint64_t{origin.child[i]} + 1);
  }
  key_ = {low(key), high(key)};
  counter_ = {0, low(origin.position), high(origin.position), origin.epoch};
}

uint32_t Rng::next_u32() {
  if (used_ == 4) {
    block_ = philox4x32(counter_, key_);
    ++counter_[0];
    used_ = 0;
  }
  return block_[static_cast<size_t>(used_++)];
}

uint64_t Rng::next_u64() {
  const uint64_t first = next_u32();
  return first | uint64_t{next_u32()} << 32;
}

double Rng::uniform() { return static_cast<double>(next_u64() >> 11) * 0x1.0p-53; }

// Lemire: "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
uint64_t Rng::below(uint64_t n) {
  Uint128 product = Uint128{next_u64()} * n;
  if (static_cast<uint64_t>(product) < n) {
    const uint64_t threshold = (0 - n) % n;
    while (static_cast<uint64_t>(product) < threshold) product = Uint128{next_u64()} * n;
  }
  return static_cast<uint64_t>(product >> 64);
}

double Rng::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

Permutation::Permutation(uint64_t size, uint64_t seed, uint32_t source, uint32_t epoch)
    : size_(size), key_(mix64(mix64(seed, 0x5a3f1e5ULL), uint64_t{source} << 32 | epoch)) {
  const int bits = size < 2 ? 1 : std::bit_width(size - 1);
  half_bits_ = std::max(kMinHalfBits, (bits + 1) / 2);
}

// One pass of the network over 2 * half_bits_ bits.
uint64_t Permutation::round(uint64_t value) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  uint64_t left = value >> half_bits_;
  uint64_t right = value & mask;
  for (uint64_t i = 0; i < kFeistelRounds; ++i) {
    const uint64_t next = left ^ (mix64(key_ + i, right) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

// Cycle walking: a value outside is mapped again; the walk comes back inside since the network is
// a bijection, and expects at most four steps for sizes above 16.
uint64_t Permutation::operator()(uint64_t position) const {
  if (size_ < 2) return position;
  uint64_t value = round(position);
  while (value >= size_) value = round(value);
  return value;
}

}  // namespace penstock
