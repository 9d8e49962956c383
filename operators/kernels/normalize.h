#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/strided.h"

namespace penstock::kernels {

/// Means and deviations of each channel, and for 8-bit input a table of all results, so that
/// (x / 255 - mean) / std is what float32 arithmetic gives in exactly that order (torchvision's
/// to_tensor and Normalize), without a division per sample.
class Normalizer {
 public:
  /// One mean and one std for each channel, or a single one for all. Throws ImageError(kArgument)
  /// if the two lists differ in length (neither being 1), one is empty, or a std is 0 or not
  /// finite.
  Normalizer(std::span<const double> mean, std::span<const double> std);

  /// to = (from / 255 - mean) / std. Any order of axes on both sides.
  /// Throws ImageError(kArgument) if the number of channels does not fit or the sizes differ.
  void apply(const Strided<const std::uint8_t>& from, const Strided<float>& to) const;

  /// to = (from - mean) / std, for input that is scaled already.
  void apply(const Strided<const float>& from, const Strided<float>& to) const;

  /// Channels it was made for; 1 fits every picture.
  int channels() const { return static_cast<int>(mean_.size()); }

 private:
  void check(int channels) const;
  std::size_t entry(int channel) const {
    return mean_.size() == 1 ? 0 : static_cast<std::size_t>(channel);
  }

  std::vector<float> mean_;
  std::vector<float> std_;
  std::vector<std::array<float, 256>> table_;
};

}  // namespace penstock::kernels
