#include "penstock/inspect.h"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

namespace penstock {
namespace {

template <typename T>
Tensor tensor_with(std::initializer_list<int64_t> shape, DType dtype, const std::vector<T>& values,
                   Layout layout = Layout::kNone) {
  Tensor tensor = Tensor::empty(shape, dtype, layout);
  std::memcpy(tensor.mutable_data(), values.data(), values.size() * sizeof(T));
  return tensor;
}

Batch batch_of(const std::vector<std::pair<std::string, Field>>& fields) {
  auto names = std::make_shared<std::vector<std::string>>();
  Item item;
  item.origin.epoch = 3;
  item.samples.resize(2);
  for (const auto& [name, field] : fields) {
    names->push_back(name);
    item.fields.push_back(field);
  }
  return {names, std::move(item)};
}

TEST_CASE("a batch is shown field by field") {
  Tensor image = tensor_with<uint8_t>({2, 1, 2, 1}, DType::kUInt8, {0, 255, 3, 10}, Layout::kNHWC);
  image.set_device({Device::Kind::kPinned, 0});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor values = tensor_with<float>({2, 2}, DType::kFloat32, {-1.5F, nan, 0.5F, INFINITY});
  const Batch batch = batch_of({{"image", image},
                                {"values", values},
                                {"key", std::vector<std::string>{"a.jpg", "b\x1b.jpg"}}});
  CHECK(
      format_text(inspect(batch)) ==
      "epoch 3, 2 examples\n"
      "field   type     shape              strides       lies on  pinned  bytes   min  max  mean\n"
      "image   uint8    [2, 1, 2, 1] NHWC  [2, 2, 1, 1]  cpu      yes       4 B     0  255    67\n"
      "values  float32  [2, 2]             [2, 1]        cpu      no       16 B  -1.5  0.5  -0.5\n"
      "values: 2 elements are not finite\n"
      "key: 2 texts, not a tensor: a.jpg, b\\x1b.jpg\n");
  const auto json = nlohmann::json::parse(format_json({inspect(batch)}))["batches"][0];
  CHECK(json["epoch"] == 3);
  CHECK(json["examples"] == 2);
  CHECK(json["fields"][0]["pinned"] == true);
  CHECK(json["fields"][0]["mean"] == 67);
  CHECK(json["fields"][1]["not_finite"] == 2);
  CHECK(json["fields"][1]["strides"] == nlohmann::json({2, 1}));
  CHECK(json["fields"][2]["tensor"] == false);
  CHECK(json["fields"][2]["texts"][0] == "a.jpg");
}

TEST_CASE("values are those of each element type, and follow the strides") {
  const auto seen = [](const Tensor& tensor) {
    return inspect(batch_of({{"x", tensor}})).fields[0];
  };
  const auto check = [&seen](const Tensor& tensor, double min, double max, double mean) {
    const FieldInspection field = seen(tensor);
    CHECK(field.min == min);
    CHECK(field.max == max);
    CHECK(field.mean == doctest::Approx(mean));
  };
  check(tensor_with<int8_t>({2}, DType::kInt8, {-128, 127}), -128, 127, -0.5);
  check(tensor_with<uint16_t>({2}, DType::kUInt16, {0, 65535}), 0, 65535, 32767.5);
  check(tensor_with<int16_t>({2}, DType::kInt16, {-3, 5}), -3, 5, 1);
  check(tensor_with<int32_t>({2}, DType::kInt32, {-70000, 70000}), -70000, 70000, 0);
  check(tensor_with<int64_t>({1}, DType::kInt64, {1LL << 40}), 1LL << 40, 1LL << 40, 1LL << 40);
  check(tensor_with<double>({2}, DType::kFloat64, {0.25, 0.75}), 0.25, 0.75, 0.5);
  check(tensor_with<uint8_t>({3}, DType::kBool, {0, 1, 1}), 0, 1, 2.0 / 3);
  // IEEE 754 binary16: 1, -2, the least normal, the least subnormal, 65504.
  check(tensor_with<uint16_t>({2}, DType::kFloat16, {0x3c00, 0xc000}), -2, 1, -0.5);
  check(tensor_with<uint16_t>({1}, DType::kFloat16, {0x0400}), 0x1p-14, 0x1p-14, 0x1p-14);
  check(tensor_with<uint16_t>({1}, DType::kFloat16, {0x0001}), 0x1p-24, 0x1p-24, 0x1p-24);
  check(tensor_with<uint16_t>({1}, DType::kFloat16, {0x7bff}), 65504, 65504, 65504);
  CHECK(seen(tensor_with<uint16_t>({2}, DType::kFloat16, {0x7c00, 0x7e00})).not_finite == 2);
  Tensor every_second = tensor_with<int32_t>({2, 2}, DType::kInt32, {1, 100, 2, 100});
  const std::array<int64_t, 2> strides = {2, 0};
  every_second.set_strides(strides);
  check(every_second, 1, 2, 1.5);
  const FieldInspection none = seen(Tensor::empty({0, 4}, DType::kFloat32));
  CHECK_FALSE(none.min);
  CHECK_FALSE(none.mean);
}

}  // namespace
}  // namespace penstock
