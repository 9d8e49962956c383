#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace penstock {

/// Sizes or strides: "[480, 640, 3]".
std::string shape_text(std::span<const int64_t> shape);

}  // namespace penstock
