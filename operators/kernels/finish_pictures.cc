#include "kernels/finish_pictures.h"

namespace penstock::kernels {

void finish_on_cpu(const PictureBatch& pictures) {
  const std::int64_t count = pictures.elements();
  for (std::int64_t at = 0; at < count; ++at) pictures.to[at] = finished_element(pictures, at);
}

}  // namespace penstock::kernels
