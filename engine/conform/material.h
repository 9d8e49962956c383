#pragma once
/// Made-up items that operators are tried with.

#include <cstdint>
#include <string>
#include <vector>

#include "penstock/operator.h"

namespace penstock::conform {

/// What a field of an item may be.
enum class Material : uint8_t {
  kPicture,       ///< uint8 [H, W, 3] HWC, of different sizes
  kLargePicture,  ///< the same, at least 240 pixels high and wide
  kPlanes,        ///< float32 [3, H, W] CHW, of different sizes
  kVector,        ///< float32 [8]
  kMatrix,        ///< float32 [4, 6]
  kLabel,         ///< int64, 0-d
  kEncoded,       ///< a PNG file: uint8, one dimension
  kText,
};
inline constexpr int kMaterials = 8;

struct MadeField {
  std::string name;
  Material material = Material::kPicture;
};

/// All materials, those first that the words about a field speak of.
std::vector<Material> materials_for(const std::string& doc);

/// A source named `op` of `count` items with these fields, which depend on the position only. Every
/// `odd_every`-th one (0: none) is odd but within what is declared: without elements, one pixel
/// wide, not finite, cut off, no UTF-8.
OperatorDef make_feed(std::string op, std::vector<MadeField> fields, uint64_t count,
                      uint64_t odd_every);

/// Bytes of a small PNG file.
std::vector<uint8_t> small_picture();

}  // namespace penstock::conform
