#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <penstock/testing.h>

using namespace penstock::testing;

TEST_CASE("mean 0 and standard deviation 1") {
  const auto out = run_operator("standardize", {}, {{{"x", tensor_of<float>({2}, {3, 7})}}});
  const auto values = values_of<float>(out[0].tensor("x"));
  CHECK(values[0] == doctest::Approx(-1));
  CHECK(values[1] == doctest::Approx(1));
}
