#include "kernels/normalize.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "kernels/image.h"

namespace penstock::kernels {
namespace {

[[noreturn]] void refuse(const std::string& message) {
  throw ImageError(ImageErrorKind::kArgument, message);
}

void check_same_sizes(int channels, int height, int width, const Strided<float>& to) {
  if (to.channels == channels && to.height == height && to.width == width) return;
  refuse("the output of normalize does not have the input's sizes");
}

/// Three interleaved channels to three planes: the common case.
void split_three(const Strided<const std::uint8_t>& from, const Strided<float>& to,
                 const float* const tables[3]) {
  const float* const red = tables[0];
  const float* const green = tables[1];
  const float* const blue = tables[2];
  for (int y = 0; y < from.height; ++y) {
    const std::uint8_t* pixel = from.row(0, y);
    float* const to_red = to.row(0, y);
    float* const to_green = to.row(1, y);
    float* const to_blue = to.row(2, y);
    for (int x = 0; x < from.width; ++x, pixel += 3) {
      to_red[x] = red[pixel[0]];
      to_green[x] = green[pixel[1]];
      to_blue[x] = blue[pixel[2]];
    }
  }
}

/// Calls `row(channel, from, to)` for every row of every channel, rows of all channels together so
/// that interleaved input is read once.
template <typename T, typename Row>
void for_each_row(const Strided<const T>& from, const Strided<float>& to, Row&& row) {
  for (int y = 0; y < from.height; ++y) {
    for (int c = 0; c < from.channels; ++c) row(c, from.row(c, y), to.row(c, y));
  }
}

}  // namespace

Normalizer::Normalizer(std::span<const double> mean, std::span<const double> std) {
  if (mean.empty() || std.empty()) refuse("normalize needs at least one mean and one std");
  const std::size_t channels = std::max(mean.size(), std.size());
  if ((mean.size() != channels && mean.size() != 1) ||
      (std.size() != channels && std.size() != 1)) {
    refuse("normalize has " + std::to_string(mean.size()) + " means but " +
           std::to_string(std.size()) + " stds");
  }
  mean_.resize(channels);
  std_.resize(channels);
  table_.resize(channels);
  for (std::size_t c = 0; c < channels; ++c) {
    mean_[c] = static_cast<float>(mean[mean.size() == 1 ? 0 : c]);
    std_[c] = static_cast<float>(std[std.size() == 1 ? 0 : c]);
    if (std_[c] == 0.0f || !std::isfinite(std_[c]) || !std::isfinite(mean_[c])) {
      refuse("normalize: mean and std must be finite and std not 0 in float32");
    }
    for (int x = 0; x < 256; ++x) {
      const float unit = static_cast<float>(x) / 255.0f;
      table_[c][static_cast<std::size_t>(x)] = (unit - mean_[c]) / std_[c];
    }
  }
}

void Normalizer::check(int channels) const {
  if (mean_.size() == 1 || channels == this->channels()) return;
  refuse("the picture has " + std::to_string(channels) +
         (channels == 1 ? " channel" : " channels") + " but normalize has " +
         std::to_string(mean_.size()) +
         " means; give one for each channel, or a single one for all");
}

void Normalizer::apply(const Strided<const std::uint8_t>& from, const Strided<float>& to) const {
  check(from.channels);
  check_same_sizes(from.channels, from.height, from.width, to);
  if (from.channels == 3 && from.channel_stride == 1 && from.column_stride == 3 &&
      to.column_stride == 1) {
    const float* const tables[3] = {table_[entry(0)].data(), table_[entry(1)].data(),
                                    table_[entry(2)].data()};
    return split_three(from, to, tables);
  }
  for_each_row(from, to, [&](int c, const std::uint8_t* source, float* target) {
    const float* table = table_[entry(c)].data();
    for (int x = 0; x < from.width; ++x) {
      target[x * to.column_stride] = table[source[x * from.column_stride]];
    }
  });
}

void Normalizer::apply(const Strided<const float>& from, const Strided<float>& to) const {
  check(from.channels);
  check_same_sizes(from.channels, from.height, from.width, to);
  for_each_row(from, to, [&](int c, const float* source, float* target) {
    const float mean = mean_[entry(c)];
    const float deviation = std_[entry(c)];
    for (int x = 0; x < from.width; ++x) {
      target[x * to.column_stride] = (source[x * from.column_stride] - mean) / deviation;
    }
  });
}

}  // namespace penstock::kernels
