#include "conform/material.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>

#include "penstock/random.h"

namespace penstock::conform {
namespace {

// 8 x 8 pixels, RGB.
constexpr uint8_t kPng[] = {
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
    0x52, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x08, 0x08, 0x02, 0x00, 0x00, 0x00, 0x4b,
    0x6d, 0x29, 0xdc, 0x00, 0x00, 0x00, 0x6c, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x0d, 0xc9,
    0x41, 0x01, 0x00, 0x30, 0x08, 0x03, 0x31, 0x94, 0xa0, 0x04, 0x25, 0xfd, 0x9e, 0x09, 0x94,
    0x54, 0x49, 0x95, 0xa0, 0x68, 0xcb, 0x37, 0x55, 0x45, 0x17, 0x53, 0xa8, 0xd8, 0xc2, 0x45,
    0x8a, 0x2b, 0xaa, 0x9a, 0x6e, 0xa6, 0x51, 0xb3, 0x8d, 0x9b, 0x34, 0xd7, 0x3f, 0x86, 0x1e,
    0x66, 0xd0, 0xb0, 0x83, 0x87, 0x0c, 0x37, 0x3f, 0x44, 0x8b, 0x11, 0x12, 0x2b, 0x2c, 0x22,
    0x4e, 0x3f, 0x96, 0x5e, 0x66, 0xd1, 0xb2, 0x8b, 0x97, 0x2c, 0xb7, 0x3f, 0x4c, 0x9b, 0x31,
    0x32, 0x6b, 0x6c, 0x62, 0xce, 0x3f, 0x42, 0x87, 0x09, 0x0a, 0x1b, 0x1c, 0x12, 0x2e, 0x3f,
    0x8e, 0x3e, 0xe6, 0xd0, 0xb1, 0x87, 0x8f, 0x1c, 0x77, 0x3c, 0xe2, 0x3f, 0x4d, 0x41, 0xf6,
    0x77, 0xab, 0xf5, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82,
};

const std::vector<std::string_view>& words_for(Material material) {
  static const std::vector<std::string_view> words[kMaterials] = {
      {"uint8", "picture", "HWC", "image"},
      {"uint8", "picture", "HWC", "image"},
      {"float32", "picture", "CHW", "planes"},
      {"float32", "vector", "one dimension", "[n]"},
      {"float32", "matrix", "two dimensions", "[r, c]"},
      {"int64", "label", "0-d", "number"},
      {"uint8", "encoded", "PNG", "one dimension", "bytes"},
      {"text", "string"},
  };
  return words[static_cast<size_t>(material)];
}

FieldInfo info_of(const MadeField& field) {
  FieldInfo info{.name = field.name};
  const auto shaped = [&](DType dtype, std::vector<int64_t> shape, Layout layout = Layout::kNone) {
    info.dtype = dtype;
    info.shape = std::move(shape);
    info.layout = layout;
  };
  switch (field.material) {
    case Material::kPicture:
    case Material::kLargePicture:
      shaped(DType::kUInt8, {-1, -1, 3}, Layout::kHWC);
      break;
    case Material::kPlanes:
      shaped(DType::kFloat32, {3, -1, -1}, Layout::kCHW);
      break;
    case Material::kVector:
      shaped(DType::kFloat32, {8});
      break;
    case Material::kMatrix:
      shaped(DType::kFloat32, {4, 6});
      break;
    case Material::kLabel:
      shaped(DType::kInt64, {});
      break;
    case Material::kEncoded:
      shaped(DType::kUInt8, {-1});
      break;
    case Material::kText:
      info.is_text = true;
      break;
  }
  return info;
}

/// Elements for one item; `oddity` 0: an ordinary one.
class Maker {
 public:
  Maker(uint64_t position, uint64_t oddity) : random_(mix64(position, 1)), oddity_(oddity) {
    const auto place = static_cast<int64_t>(position);
    height_ = 20 + place % 7;
    width_ = 24 + place % 5;
    if (oddity_ % 4 == 1) height_ = 1;
    if (oddity_ % 4 == 2) width_ = 1;
    if (oddity_ % 4 == 3) height_ = width_ = oddity_ % 8 == 3 ? 0 : 1;
  }

  Field make(Material material) {
    switch (material) {
      case Material::kPicture:
        return bytes(Tensor::empty({height_, width_, 3}, DType::kUInt8, Layout::kHWC));
      case Material::kLargePicture:
        return bytes(
            Tensor::empty({large(height_), large(width_), 3}, DType::kUInt8, Layout::kHWC));
      case Material::kPlanes:
        return floats(Tensor::empty({3, height_, width_}, DType::kFloat32, Layout::kCHW));
      case Material::kVector:
        return floats(Tensor::empty({8}, DType::kFloat32));
      case Material::kMatrix:
        return floats(Tensor::empty({4, 6}, DType::kFloat32));
      case Material::kLabel:
        return label();
      case Material::kEncoded:
        return encoded();
      case Material::kText:
        return text();
    }
    return {};
  }

 private:
  int64_t large(int64_t side) const { return oddity_ > 0 ? side : side + 220; }
  uint64_t next() { return random_ = mix64(random_, 7); }

  Tensor bytes(Tensor tensor) {
    for (size_t i = 0; i < tensor.nbytes(); ++i) {
      tensor.mutable_data_as<uint8_t>()[i] = static_cast<uint8_t>(next());
    }
    return tensor;
  }

  Tensor floats(Tensor tensor) {
    constexpr float kOdd[] = {std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(),
                              std::numeric_limits<float>::lowest(), -0.0F};
    for (int64_t i = 0; i < tensor.numel(); ++i) {
      tensor.mutable_data_as<float>()[i] =
          oddity_ > 0 ? kOdd[oddity_ % 4] : static_cast<float>(next() % 1024) / 1024;
    }
    return tensor;
  }

  Tensor label() {
    constexpr int64_t kOdd[] = {-1, std::numeric_limits<int64_t>::max(),
                                std::numeric_limits<int64_t>::min()};
    Tensor tensor = Tensor::empty({}, DType::kInt64);
    *tensor.mutable_data_as<int64_t>() =
        oddity_ > 0 ? kOdd[oddity_ % 3] : static_cast<int64_t>(next() % 10);
    return tensor;
  }

  Tensor encoded() {
    size_t size = sizeof kPng;
    if (oddity_ % 4 == 1) size /= 2;
    if (oddity_ % 4 == 2) size = 0;
    Tensor tensor = Tensor::empty({static_cast<int64_t>(size)}, DType::kUInt8);
    if (oddity_ % 4 == 3) return bytes(std::move(tensor));
    if (size > 0) std::memcpy(tensor.mutable_data(), kPng, size);
    return tensor;
  }

  std::string text() {
    if (oddity_ % 4 == 1) return "";
    if (oddity_ % 4 == 2) return "\xff\xfe\x80";
    if (oddity_ % 4 == 3) return std::string(4000, 'x');
    return "text " + std::to_string(next() % 1000);
  }

  uint64_t random_, oddity_;
  int64_t height_, width_;
};

class Feed : public Source {
 public:
  Feed(std::vector<MadeField> fields, uint64_t count, uint64_t odd_every)
      : fields_(std::move(fields)), count_(count), odd_every_(odd_every) {}

  void infer(FieldTable& table) override {
    for (const MadeField& field : fields_) table.add(info_of(field));
  }
  uint64_t size(uint32_t) const override { return count_; }
  void process(Context& ctx) override {
    const uint64_t index = ctx.origin().index;
    const bool odd = odd_every_ > 0 && index % odd_every_ == odd_every_ - 1;
    Maker maker(index, odd ? index / odd_every_ + 1 : 0);
    for (size_t i = 0; i < fields_.size(); ++i) {
      ctx.set(static_cast<int>(i), maker.make(fields_[i].material));
    }
  }

 private:
  std::vector<MadeField> fields_;
  uint64_t count_, odd_every_;
};

}  // namespace

std::vector<Material> materials_for(const std::string& doc) {
  std::vector<std::pair<int, Material>> scored;
  for (int i = 0; i < kMaterials; ++i) {
    const auto material = static_cast<Material>(i);
    int score = 0;
    for (const std::string_view word : words_for(material)) {
      score += doc.find(word) != std::string::npos ? 1 : 0;
    }
    scored.emplace_back(-score, material);
  }
  std::stable_sort(scored.begin(), scored.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Material> materials;
  for (const auto& [score, material] : scored) materials.push_back(material);
  return materials;
}

OperatorDef make_feed(std::string op, std::vector<MadeField> fields, uint64_t count,
                      uint64_t odd_every) {
  return {Schema(std::move(op), Kind::kSource, "Made-up items."),
          [fields = std::move(fields), count, odd_every](const Params&) {
            return std::make_unique<Feed>(fields, count, odd_every);
          }};
}

std::vector<uint8_t> small_picture() { return {std::begin(kPng), std::end(kPng)}; }

}  // namespace penstock::conform
