#pragma once
/// Pictures as the kernels that know any order of axes take them.

#include "kernels/strided.h"
#include "transform/picture.h"

namespace penstock::operators {

/// A picture's elements with their order of axes.
template <typename T>
kernels::Strided<T> planes_of(T* data, const PictureShape& shape, bool planar) {
  const int channels = to_int(shape.channels);
  const int height = to_int(shape.height);
  const int width = to_int(shape.width);
  return planar ? kernels::planar(data, channels, height, width)
                : kernels::interleaved(data, channels, height, width);
}

/// Sizes of a picture in that order of axes.
inline std::array<int64_t, 3> sizes_of(const PictureShape& shape, bool planar) {
  if (planar) return {shape.channels, shape.height, shape.width};
  return {shape.height, shape.width, shape.channels};
}

/// Parameter `layout`: CHW, HWC or keep.
inline Param layout_param(std::string default_value) {
  return {.name = "layout",
          .type = ParamType::kChoice,
          .doc = "Order of the axes of the result; keep: that of the input.",
          .default_value = std::move(default_value),
          .choices = {"CHW", "HWC", "keep"}};
}

/// Whether the result has its channels in planes.
inline bool planar_output(const std::string& layout, bool planar_input) {
  return layout == "keep" ? planar_input : layout == "CHW";
}

/// The field table's entry of a picture whose order of axes changes.
inline FieldInfo with_layout(FieldInfo info, const std::string& layout) {
  const bool from_planar = info.layout == Layout::kCHW;
  const bool planar = planar_output(layout, from_planar);
  if (info.shape && info.shape->size() == 3 && planar != from_planar) {
    const std::vector<int64_t> s = *info.shape;
    info.shape =
        planar ? std::vector<int64_t>{s[2], s[0], s[1]} : std::vector<int64_t>{s[1], s[2], s[0]};
  }
  info.layout = planar ? Layout::kCHW : Layout::kHWC;
  return info;
}

}  // namespace penstock::operators
