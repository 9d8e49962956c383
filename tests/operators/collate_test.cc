#include <doctest/doctest.h>

#include "penstock/testing.h"

namespace penstock::testing {
namespace {

std::vector<NamedFields> three(std::vector<Tensor> tensors) {
  std::vector<NamedFields> inputs;
  for (Tensor& tensor : tensors) inputs.push_back({{"x", tensor}});
  return inputs;
}

TEST_CASE("collate stacks tensors of equal shape and keeps a smaller last batch") {
  std::vector<NamedFields> inputs;
  for (int i = 0; i < 5; ++i) {
    const auto v = static_cast<float>(i);
    inputs.push_back({{"x", tensor_of<float>({2}, {v, -v})}, {"label", label_of(i)}});
  }
  const auto out = run_operator("collate", {{"batch_size", 2}}, inputs);
  REQUIRE(out.size() == 3);
  CHECK(shape_of(out[0].tensor("x")) == std::vector<int64_t>{2, 2});
  CHECK(values_of<float>(out[1].tensor("x")) == std::vector<float>{2, -2, 3, -3});
  CHECK(shape_of(out[2].tensor("x")) == std::vector<int64_t>{1, 2});
  CHECK(shape_of(out[1].tensor("label")) == std::vector<int64_t>{2});
  CHECK(values_of<int64_t>(out[1].tensor("label")) == std::vector<int64_t>{2, 3});
}

TEST_CASE("collate with drop_last leaves the incomplete batch out") {
  std::vector<NamedFields> inputs(5, {{"label", label_of(1)}});
  CHECK(run_operator("collate", {{"batch_size", 2}, {"drop_last", true}}, inputs).size() == 2);
  CHECK(run_operator("collate", {{"batch_size", 6}, {"drop_last", true}}, inputs).empty());
}

TEST_CASE("collate makes NHWC of HWC and NCHW of CHW") {
  const auto picture = [](Layout layout) {
    return tensor_of<uint8_t>({1, 2, 3}, {1, 2, 3, 4, 5, 6}, layout);
  };
  const auto layout_behind = [&](Layout layout) {
    const Tensor x = picture(layout);
    return run_operator("collate", {{"batch_size", 2}}, three({x, x}))[0].tensor("x").layout();
  };
  CHECK(layout_behind(Layout::kHWC) == Layout::kNHWC);
  CHECK(layout_behind(Layout::kCHW) == Layout::kNCHW);
  CHECK(layout_behind(Layout::kNone) == Layout::kNone);
}

TEST_CASE("collate takes strided inputs") {
  Tensor turned = tensor_of<int16_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  turned.set_strides(std::vector<int64_t>{1, 2});  // column-major
  Tensor same = tensor_of<int16_t>({2, 3}, {7, 7, 7, 7, 7, 7});
  same.set_strides(std::vector<int64_t>{0, 0});  // one element, repeated
  const auto out = run_operator("collate", {{"batch_size", 2}}, three({turned, same}));
  CHECK(values_of<int16_t>(out[0].tensor("x")) ==
        std::vector<int16_t>{1, 3, 5, 2, 4, 6, 7, 7, 7, 7, 7, 7});
}

TEST_CASE("collate takes tensors without elements") {
  const Tensor none = tensor_of<float>({0, 3}, {});
  const auto out = run_operator("collate", {{"batch_size", 2}}, three({none, none}));
  CHECK(shape_of(out[0].tensor("x")) == std::vector<int64_t>{2, 0, 3});
}

TEST_CASE("collate makes a list of texts") {
  const auto out = run_operator("collate", {{"batch_size", 3}},
                                {{{"name", "no"}}, {{"name", ""}}, {{"name", "1.10"}}});
  CHECK(out[0].texts("name") == std::vector<std::string>{"no", "", "1.10"});
}

TEST_CASE("collate names the field, both shapes and both samples when they differ") {
  const auto picture = [](int64_t width) {
    return Tensor::empty({8, width, 3}, DType::kUInt8, Layout::kHWC);
  };
  Setup setup;
  setup.keys = {"cat/a.png", "cat/b.png", "dog/wide.png"};
  CHECK_THROWS_WITH(
      run_operator("collate", {{"batch_size", 3}}, three({picture(8), picture(8), picture(9)}),
                   setup),
      "field 'x' differs within the batch: uint8 [8, 8, 3] HWC in sample 0 (cat/a.png), uint8 "
      "[8, 9, 3] HWC in sample 2 (dog/wide.png); bring them to one shape first (resize, "
      "center_crop)");
  CHECK_THROWS_WITH(
      run_operator("collate", {{"batch_size", 2}}, {{{"x", label_of(1)}}, {{"x", "one"}}}),
      "field 'x' differs within the batch: int64 [] in sample 0 (position 0), a text in sample 1 "
      "(position 1); bring them to one type first");
}

TEST_CASE("collate never cuts lists of texts") {
  const std::vector<std::string> tags{"a", "b"};
  CHECK_THROWS_WITH(run_operator("collate", {{"batch_size", 1}}, {{{"tags", tags}}}),
                    "field 'tags' is a list of texts, and lists are not put together; collate "
                    "once only, or leave the field out");
}

TEST_CASE("collate tells the batch's shape, and its size where it is certain") {
  const FieldTable in({{.name = "x",
                        .dtype = DType::kUInt8,
                        .shape = std::vector<int64_t>{4, -1},
                        .layout = Layout::kNone},
                       {.name = "y"},
                       {.name = "key", .is_text = true}});
  const auto open = infer_operator("collate", {{"batch_size", 8}}, in);
  CHECK(open.at(0).shape == std::vector<int64_t>{-1, 4, -1});
  CHECK(!open.at(1).shape);
  CHECK(open.at(2).is_text);
  const auto full = infer_operator("collate", {{"batch_size", 8}, {"drop_last", true}}, in);
  CHECK(full.at(0).shape == std::vector<int64_t>{8, 4, -1});
}

}  // namespace
}  // namespace penstock::testing
