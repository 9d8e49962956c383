#pragma once
/// The last steps of a batch of pictures, as one pass over it on a device or on the CPU: mirror,
/// uint8 to float32, normalise, and the order of the axes. Done on the device, a quarter of the
/// bytes cross the link. Both give the same bits: the arithmetic below is compiled without
/// contraction for either (-ffp-contract=off, nvcc --fmad=false).

#include <cstdint>

#if defined(__CUDACC__)
#define PENSTOCK_HOST_DEVICE __host__ __device__
#else
#define PENSTOCK_HOST_DEVICE
#endif

namespace penstock::kernels {

/// [batch, height, width, channels] uint8 to float32 of the same order, or with the channels in
/// front of height and width where `planar`.
struct PictureBatch {
  static constexpr int kMostChannels = 4;
  const std::uint8_t* from = nullptr;
  float* to = nullptr;
  const std::uint8_t* flips = nullptr;  ///< one a picture, not 0: mirrored; null: none is
  std::int64_t batch = 0, height = 0, width = 0;
  int channels = 0;
  bool planar = true;
  float mean[kMostChannels] = {}, std[kMostChannels] = {};  ///< of x / 255

  PENSTOCK_HOST_DEVICE std::int64_t elements() const { return batch * height * width * channels; }
};

/// Element `at` of the result, in its order: (x / 255 - mean) / std in float32, as torchvision's
/// ToTensor and Normalize do it.
PENSTOCK_HOST_DEVICE inline float finished_element(const PictureBatch& pictures, std::int64_t at) {
  const std::int64_t pixels = pictures.height * pictures.width;
  const std::int64_t picture = at / (pixels * pictures.channels);
  std::int64_t within = at % (pixels * pictures.channels), channel = 0, pixel = 0;
  if (pictures.planar) {
    channel = within / pixels;
    pixel = within % pixels;
  } else {
    channel = within % pictures.channels;
    pixel = within / pictures.channels;
  }
  const std::int64_t row = pixel / pictures.width;
  std::int64_t column = pixel % pictures.width;
  if (pictures.flips != nullptr && pictures.flips[picture] != 0) {
    column = pictures.width - 1 - column;
  }
  const std::int64_t source =
      ((picture * pictures.height + row) * pictures.width + column) * pictures.channels + channel;
  const float unit = static_cast<float>(pictures.from[source]) / 255.0f;
  return (unit - pictures.mean[channel]) / pictures.std[channel];
}

/// All of it, on the calling thread.
void finish_on_cpu(const PictureBatch& pictures);

}  // namespace penstock::kernels
