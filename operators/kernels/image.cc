#include "kernels/image.h"

namespace penstock::kernels {

void check_pixel_limit(std::int64_t height, std::int64_t width, std::int64_t max_pixels,
                       const char* what) {
  if (height <= 0 || width <= 0 || height <= max_pixels / width) return;
  throw ImageError(ImageErrorKind::kTooLarge,
                   std::string(what) + " of " + std::to_string(width) + " x " +
                       std::to_string(height) + " pixels (width x height) is above the limit of " +
                       std::to_string(max_pixels) + " pixels; raise max_pixels to allow it");
}

}  // namespace penstock::kernels
