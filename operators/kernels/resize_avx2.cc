#include "kernels/resize_passes.h"

#if defined(__x86_64__)

#include <immintrin.h>

#include <algorithm>
#include <cstring>

#define PENSTOCK_AVX2 __attribute__((target("avx2")))

namespace penstock::kernels {
namespace {

// A weight is high * 2^11 + low with both halves in 16 bits, so that vpmaddwd can multiply them
// with samples. The two sums are put together modulo 2^32, which is exact because the whole sum
// fits.

/// Sums of the two halves, eight of them.
struct SplitSums {
  __m256i low;
  __m256i high;
};

PENSTOCK_AVX2 inline SplitSums fresh_sums() {
  return {_mm256_set1_epi32(kRoundUp), _mm256_setzero_si256()};
}

PENSTOCK_AVX2 inline void add_products(SplitSums& sums, __m256i samples, __m256i low,
                                       __m256i high) {
  sums.low = _mm256_add_epi32(sums.low, _mm256_madd_epi16(samples, low));
  sums.high = _mm256_add_epi32(sums.high, _mm256_madd_epi16(samples, high));
}

PENSTOCK_AVX2 inline __m256i finish(const SplitSums& sums) {
  const __m256i whole = _mm256_add_epi32(sums.low, _mm256_slli_epi32(sums.high, kSplitBits));
  return _mm256_srai_epi32(whole, kWeightBits);
}

/// Byte positions that turn four pixels into 16-bit pairs (tap t, tap t + 1) for each channel.
template <int kChannels>
PENSTOCK_AVX2 inline __m256i pair_shuffle(int tap) {
  alignas(16) std::int8_t bytes[16];
  for (int c = 0; c < 4; ++c) {
    const bool used = c < kChannels;
    bytes[c * 4 + 0] = static_cast<std::int8_t>(used ? tap * kChannels + c : -128);
    bytes[c * 4 + 2] = static_cast<std::int8_t>(used ? (tap + 1) * kChannels + c : -128);
    bytes[c * 4 + 1] = bytes[c * 4 + 3] = -128;
  }
  return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(bytes)));
}

PENSTOCK_AVX2 inline __m256i load_two(const std::uint8_t* a, const std::uint8_t* b) {
  const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(a));
  const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(b));
  return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/// Two output pixels, `a` and `b` their first source pixels, one in each half of the result's low
/// 4 bytes; four taps a step.
template <int kChannels>
PENSTOCK_AVX2 inline __m256i resize_two(const std::uint8_t* a, const std::uint8_t* b,
                                        const std::int16_t* weights, int groups) {
  constexpr std::ptrdiff_t kStep = std::ptrdiff_t{4} * kChannels;
  const __m256i shuffle01 = pair_shuffle<kChannels>(0);
  const __m256i shuffle23 = pair_shuffle<kChannels>(2);
  SplitSums sums = fresh_sums();
  do {
    const __m256i pixels = load_two(a, b);
    const __m256i w = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
    add_products(sums, _mm256_shuffle_epi8(pixels, shuffle01), _mm256_shuffle_epi32(w, 0x00),
                 _mm256_shuffle_epi32(w, 0xaa));
    add_products(sums, _mm256_shuffle_epi8(pixels, shuffle23), _mm256_shuffle_epi32(w, 0x55),
                 _mm256_shuffle_epi32(w, 0xff));
    weights += 16;
    a += kStep;
    b += kStep;
  } while (--groups > 0);
  const __m256i sums32 = finish(sums);
  const __m256i words = _mm256_packs_epi32(sums32, sums32);
  return _mm256_packus_epi16(words, words);
}

template <int kChannels>
PENSTOCK_AVX2 void resize_row(const AxisWeights& axis, const std::uint8_t* from, std::uint8_t* to) {
  const int groups = axis.taps / 4;
  const int* first = axis.first.data();
  const std::int16_t* weights = axis.split.data();
  const auto pixel = [from](int index) {
    return from + static_cast<std::ptrdiff_t>(index) * kChannels;
  };
  int i = 0;
  // Stores 4 bytes for 3; the next pixel, which there always is, overwrites the fourth.
  for (; i + 2 < axis.out_size; i += 2, weights += std::ptrdiff_t{groups} * 16) {
    const __m256i bytes =
        resize_two<kChannels>(pixel(first[i]), pixel(first[i + 1]), weights, groups);
    const int one = _mm_cvtsi128_si32(_mm256_castsi256_si128(bytes));
    const int two = _mm_cvtsi128_si32(_mm256_extracti128_si256(bytes, 1));
    std::memcpy(to, &one, 4);
    std::memcpy(to + kChannels, &two, 4);
    to += std::ptrdiff_t{2} * kChannels;
  }
  const bool lone = i + 1 == axis.out_size;
  const __m256i bytes =
      resize_two<kChannels>(pixel(first[i]), pixel(first[lone ? i : i + 1]), weights, groups);
  const int one = _mm_cvtsi128_si32(_mm256_castsi256_si128(bytes));
  const int two = _mm_cvtsi128_si32(_mm256_extracti128_si256(bytes, 1));
  std::memcpy(to, &one, kChannels);
  if (!lone) std::memcpy(to + kChannels, &two, kChannels);
}

PENSTOCK_AVX2 inline __m256i broadcast_pair(const std::int16_t* pair) {
  std::int32_t both;
  std::memcpy(&both, pair, sizeof both);
  return _mm256_set1_epi32(both);
}

/// 32 bytes of an output row, two source rows a step.
PENSTOCK_AVX2 inline void blend_block(const std::uint8_t* row, std::ptrdiff_t stride,
                                      const std::int16_t* weights, int count, std::uint8_t* to) {
  const __m256i zero = _mm256_setzero_si256();
  SplitSums sums[4] = {fresh_sums(), fresh_sums(), fresh_sums(), fresh_sums()};
  for (int t = 0; t < count; t += 2, row += 2 * stride) {
    // Behind an odd count the weight is 0, so any row will do.
    const std::uint8_t* second = t + 1 < count ? row + stride : row;
    const std::int16_t* pair = weights + std::ptrdiff_t{t / 4} * 16 + t % 4;
    const __m256i low = broadcast_pair(pair);
    const __m256i high = broadcast_pair(pair + 4);
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(row));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(second));
    const __m256i left = _mm256_unpacklo_epi8(a, b);
    const __m256i right = _mm256_unpackhi_epi8(a, b);
    add_products(sums[0], _mm256_unpacklo_epi8(left, zero), low, high);
    add_products(sums[1], _mm256_unpackhi_epi8(left, zero), low, high);
    add_products(sums[2], _mm256_unpacklo_epi8(right, zero), low, high);
    add_products(sums[3], _mm256_unpackhi_epi8(right, zero), low, high);
  }
  const __m256i words0 = _mm256_packs_epi32(finish(sums[0]), finish(sums[1]));
  const __m256i words1 = _mm256_packs_epi32(finish(sums[2]), finish(sums[3]));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_packus_epi16(words0, words1));
}

}  // namespace

PENSTOCK_AVX2 void resize_row_avx2(const AxisWeights& axis, int channels, const std::uint8_t* from,
                                   std::uint8_t* to) {
  if (channels == 3) return resize_row<3>(axis, from, to);
  if (channels == 4) return resize_row<4>(axis, from, to);
  resize_row_scalar(axis, channels, from, to);
}

PENSTOCK_AVX2 void blend_rows_avx2(const AxisWeights& axis, int output, const std::uint8_t* rows,
                                   std::ptrdiff_t stride, std::size_t bytes, std::uint8_t* to) {
  constexpr std::size_t kBlock = 32;
  if (bytes < kBlock) return blend_rows_scalar(axis, output, rows, stride, bytes, to);
  const std::int16_t* weights = axis.split_weight(output);
  const int count = axis.count[static_cast<std::size_t>(output)];
  for (std::size_t x = 0; x < bytes; x += kBlock) {
    const std::size_t at = std::min(x, bytes - kBlock);  // the last block overlaps the one before
    blend_block(rows + at, stride, weights, count, to + at);
  }
}

}  // namespace penstock::kernels

#undef PENSTOCK_AVX2

#else

namespace penstock::kernels {

void resize_row_avx2(const AxisWeights& axis, int channels, const std::uint8_t* from,
                     std::uint8_t* to) {
  resize_row_scalar(axis, channels, from, to);
}

void blend_rows_avx2(const AxisWeights& axis, int output, const std::uint8_t* rows,
                     std::ptrdiff_t stride, std::size_t bytes, std::uint8_t* to) {
  blend_rows_scalar(axis, output, rows, stride, bytes, to);
}

}  // namespace penstock::kernels

#endif
