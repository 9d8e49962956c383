#include <doctest/doctest.h>

#include <numeric>

#include "penstock/operator.h"
#include "penstock/pipeline.h"
#include "penstock/tensor.h"
#include "plan/registry.h"

namespace penstock {
namespace {

TEST_CASE("a new tensor is dense, aligned and owns its memory") {
  const Tensor tensor = Tensor::empty({2, 3, 4}, DType::kFloat32);
  CHECK(tensor.numel() == 24);
  CHECK(tensor.nbytes() == 96);
  CHECK(tensor.contiguous());
  CHECK(tensor.stride(0) == 12);
  CHECK(reinterpret_cast<uintptr_t>(tensor.data()) % 64 == 0);
  const Tensor copy = tensor;
  CHECK(copy.data() == tensor.data());
  CHECK_FALSE(tensor.owner().unique());
}

TEST_CASE("scalars have one element, empty shapes none, and undefined tensors none") {
  CHECK(Tensor::empty({}, DType::kInt64).numel() == 1);
  CHECK(Tensor::empty({3, 0}, DType::kInt64).nbytes() == 0);
  CHECK(Tensor().numel() == 0);
  CHECK_FALSE(Tensor().defined());
}

TEST_CASE("impossible shapes are refused") {
  CHECK_THROWS_WITH_AS(Tensor::empty({2, -1}, DType::kUInt8), "a size is negative: [2, -1]",
                       std::invalid_argument);
  const int64_t big = int64_t{1} << 40;
  CHECK_THROWS_AS(Tensor::empty({big, big}, DType::kUInt8), std::invalid_argument);
  CHECK_THROWS_WITH_AS(Tensor::empty({1, 1, 1, 1, 1, 1, 1}, DType::kUInt8),
                       "a tensor has at most 6 dimensions, not 7", std::invalid_argument);
}

TEST_CASE("strides make views that are not contiguous") {
  Tensor tensor = Tensor::empty({2, 3}, DType::kUInt8);
  const std::array<int64_t, 2> strides = {1, 2};
  tensor.set_strides(strides);
  CHECK_FALSE(tensor.contiguous());
  CHECK_THROWS_AS(tensor.set_strides(std::span<const int64_t>(strides.data(), 1)),
                  std::invalid_argument);
}

TEST_CASE("memory of somebody else is given back when the last reference goes") {
  int released = 0;
  int memory = 7;
  {
    BufferRef ref = wrap_memory(&memory, sizeof(memory), &released,
                                [](void* context) { ++*static_cast<int*>(context); });
    const BufferRef other = ref;
    ref.reset();
    CHECK(released == 0);
    CHECK(other.unique());
  }
  CHECK(released == 1);
}

TEST_CASE("names of types, layouts and tensors") {
  for (int i = 0; i < 10; ++i) {
    DType found{};
    REQUIRE(dtype_from_name(name_of(static_cast<DType>(i)), &found));
    CHECK(found == static_cast<DType>(i));
  }
  DType found{};
  CHECK_FALSE(dtype_from_name("float", &found));
  CHECK(Tensor::empty({480, 640, 3}, DType::kUInt8, Layout::kHWC).describe() ==
        "uint8 [480, 640, 3] HWC");
  CHECK(Tensor::empty({}, DType::kInt64).describe() == "int64 []");
}

TEST_CASE("bytes of fields") {
  CHECK(bytes_of(Field(Tensor::empty({5}, DType::kInt16))) == 10);
  CHECK(bytes_of(Field(std::string("four"))) == 4);
  CHECK(bytes_of(Field(std::vector<std::string>{"a", "bc"})) == 3);
}

TEST_CASE("an error tells place, node, cause and sample, as far as they are known") {
  ErrorInfo error{.node = "decode",
                  .where = "photos.yaml:12:5",
                  .key = "dog/x.jpg",
                  .origin = {.epoch = 2, .position = 37, .depth = 2, .child = {4, 1}},
                  .message = "the file ends in its middle",
                  .shapes = "image: uint8 [812]"};
  CHECK(error.describe() ==
        "photos.yaml:12:5: decode: the file ends in its middle (sample 37.4.1, key dog/x.jpg, "
        "epoch 2; image: uint8 [812])");
  error.where.clear();
  error.key.clear();
  error.shapes.clear();
  error.origin.depth = 0;
  CHECK(RunError(error).what() ==
        std::string("decode: the file ends in its middle (sample 37, epoch 2)"));
  CHECK(ErrorInfo{.message = "no memory"}.describe() == "no memory");
}

TEST_CASE("a field that is not there is named together with those that are") {
  FieldTable fields;
  CHECK(fields.add({.name = "image"}) == 0);
  CHECK(fields.add({.name = "label"}) == 1);
  CHECK(fields.add({.name = "image", .is_text = true}) == 0);
  CHECK(fields.require("label", "field") == 1);
  fields.remove(0);
  CHECK(fields.find("image") == -1);
  CHECK(fields.find("") == -1);
  CHECK(fields.find("label") == 1);
  CHECK(fields.names() == "label");
  try {
    fields.require("image", "field");
    FAIL("nothing was thrown");
  } catch (const ParamError& error) {
    CHECK(error.param() == "field");
    CHECK(error.what() == std::string("there is no field 'image' here"));
    CHECK(error.help() == "the fields are: label");
  }
}

TEST_CASE("fields of a batch are found by name") {
  Item item;
  item.fields = {Field(Tensor::empty({4}, DType::kInt64)), Field(std::vector<std::string>{"a"})};
  item.samples.resize(4);
  const Batch batch(
      std::make_shared<std::vector<std::string>>(std::vector<std::string>{"label", "name"}),
      std::move(item));
  CHECK(batch.size() == 4);
  CHECK(batch.tensor("label").numel() == 4);
  CHECK(batch.origins().size() == 4);
  CHECK_THROWS_WITH_AS(batch.field("lable"),
                       "the batch has no field 'lable'; its fields are: label, name",
                       std::out_of_range);
  CHECK_THROWS_AS(batch.tensor("name"), std::invalid_argument);
  CHECK_THROWS_AS(Batch().field("label"), std::out_of_range);
  CHECK(Batch().size() == 0);
  CHECK(Batch().names().empty());
  CHECK(Batch().origins().empty());
}

TEST_CASE("parameters are typed, and asking for another type is a bug") {
  Params params;
  params.set("size", int64_t{4});
  params.set("size", int64_t{5});
  params.set("optional", ParamValue());
  CHECK(params.integer("size") == 5);
  CHECK_FALSE(params.has("optional"));
  CHECK_THROWS_AS(params.number("size"), std::logic_error);
  CHECK_THROWS_AS(params.text("other"), std::logic_error);
}

TEST_CASE("the registry takes complete schemas with new names only") {
  class Nothing : public Operator {};
  const auto def = [](Schema schema) {
    return OperatorDef{std::move(schema),
                       [](const Params&) { return std::make_unique<Nothing>(); }};
  };
  Registry registry;
  CHECK(registry.add(def(Schema("b", Kind::kMap, "B.")), "lib 1") == "");
  CHECK(registry.add(def(Schema("a", Kind::kMap, "A.")), "lib 1") == "");
  CHECK(registry.names() == std::vector<std::string>{"a", "b"});
  CHECK(registry.find("c") == nullptr);
  CHECK(registry.add(def(Schema("a", Kind::kMap, "A.")), "lib 2") ==
        "operator 'a' is already there, from lib 1");
  CHECK(registry.add(def(Schema("c", Kind::kMap, "")), "lib") ==
        "operator 'c' has no documentation");
  CHECK(registry.add(def(Schema("no name", Kind::kMap, "C.")), "lib") ==
        "an operator has the name 'no name'");
  CHECK(registry.add(def(Schema("c", Kind::kMap, "C.").param({.name = "p"})), "lib") ==
        "parameter 'p' of 'c' has no documentation");
  CHECK(registry.add(def(Schema("c", static_cast<Kind>(77), "C.")), "lib") ==
        "operator 'c': its kind, place or state is one that this engine does not know");
  CHECK(registry.add(def(Schema("null", Kind::kMap, "C.")), "lib") ==
        "an operator has the name 'null'");
  const auto defaulted = [&](ParamType type, ParamValue value) {
    return registry.add(
        def(Schema("c", Kind::kMap, "C.")
                .param({.name = "p", .type = type, .doc = "P.", .default_value = std::move(value)})
                .param({.name = "p", .type = type, .doc = "P."})),
        "lib");
  };
  const std::string right = "parameter 'p' of 'c' is declared twice";  // found after the default
  CHECK(defaulted(ParamType::kFloat, 1) ==
        "parameter 'p' of 'c' is of type float and has a default of another one: write 1.0, not 1");
  CHECK(defaulted(ParamType::kFloat, 1.0) == right);
  CHECK(defaulted(ParamType::kInt, 1.0) ==
        "parameter 'p' of 'c' is of type int and has a default of another one");
  CHECK(defaulted(ParamType::kDuration, 1) == right);
  CHECK(defaulted(ParamType::kIntList, 1) ==
        "parameter 'p' of 'c' is of type list of ints and has a default of another one");
  CHECK(defaulted(ParamType::kStringList, std::vector<std::string>{"a"}) == right);
  CHECK(defaulted(ParamType::kChoice, std::string("a")) == "parameter 'p' of 'c' has no choices");
  const auto tallies = [&](const std::vector<std::string>& names, const std::string& doc) {
    Schema schema("c", Kind::kMap, "C.");
    for (const std::string& name : names) schema.tallies(name, doc);
    return registry.add(def(std::move(schema)), "lib");
  };
  CHECK(tallies({"a", "b", "c", "d", "e"}, "Of all.") == "operator 'c' has more than 4 tallies");
  CHECK(tallies({"a", "a"}, "Of all.") == "tally 'a' of 'c' is declared twice");
  CHECK(tallies({"no name"}, "Of all.") == "tally 'no name' of 'c' has no proper name");
  CHECK(tallies({"a"}, "") == "tally 'a' of 'c' has no documentation");
  CHECK(registry.add({Schema("c", Kind::kMap, "C."), nullptr}, "lib") ==
        "operator 'c' has no factory");
}

}  // namespace
}  // namespace penstock
