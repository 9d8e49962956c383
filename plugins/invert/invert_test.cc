#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <penstock/testing.h>

using namespace penstock;
using namespace penstock::testing;

TEST_CASE("each value is turned round, and the layout stays") {
  const auto out = run_operator(
      "invert", {}, {{{"image", tensor_of<uint8_t>({1, 2, 1}, {0, 200}, Layout::kHWC)}}});
  CHECK(values_of<uint8_t>(out[0].tensor("image")) == std::vector<uint8_t>{255, 55});
  CHECK(out[0].tensor("image").layout() == Layout::kHWC);
}

TEST_CASE("a field of another type is a mistake of the pipeline") {
  CHECK_THROWS_AS(infer_operator("invert", {}, FieldTable({{.name = "image", .is_text = true}})),
                  ParamError);
}
