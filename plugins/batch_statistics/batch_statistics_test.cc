#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <penstock/testing.h>

using namespace penstock::testing;

TEST_CASE("mean and deviation over two samples") {
  const auto out = run_operator(
      "batch_statistics", {{"batch_size", int64_t{2}}},
      {{{"x", tensor_of<float>({2}, {1, 5})}}, {{"x", tensor_of<float>({2}, {3, 5})}}});
  REQUIRE(out.size() == 1);
  CHECK(values_of<float>(out[0].tensor("mean")) == std::vector<float>{2, 5});
  CHECK(values_of<float>(out[0].tensor("deviation")) == std::vector<float>{1, 0});
  CHECK_FALSE(out[0].has("x"));
}

TEST_CASE("a group of different shapes fails, and names the sample") {
  CHECK_THROWS_WITH(
      run_operator("batch_statistics", {{"batch_size", int64_t{2}}},
                   {{{"x", tensor_of<float>({2}, {1, 5})}}, {{"x", tensor_of<float>({1}, {3})}}}),
      "position 1 has float32 [1], which does not go with float32 [2]");
}
