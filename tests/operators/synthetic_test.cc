#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <set>

#include "penstock/testing.h"

namespace penstock::testing {
namespace {

using std::chrono::steady_clock;

double seconds_of(const std::string& op, const ParamList& params, const Setup& setup = {}) {
  const auto start = steady_clock::now();
  run_operator(op, params, {{{"x", label_of(1)}}}, setup);
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

TEST_CASE("synthetic makes the records of each epoch") {
  const ParamList params{{"items", std::vector<int64_t>{3, 0, 5}}, {"shape", 2}};
  Setup setup;
  std::vector<size_t> sizes;
  for (setup.epoch = 0; setup.epoch < 4; ++setup.epoch) {
    sizes.push_back(run_operator("synthetic", params, {}, setup).size());
  }
  CHECK(sizes == std::vector<size_t>{3, 0, 5, 3});
}

TEST_CASE("synthetic writes a label that is the record's number") {
  const auto out = run_operator("synthetic", {{"items", 4}});
  CHECK(values_of<int64_t>(out[3].tensor("label")) == std::vector<int64_t>{3});
  CHECK(out[3].tensor("x").describe() == "uint8 [224, 224, 3]");
}

TEST_CASE("synthetic records differ from each other and are the same in every run and epoch") {
  const ParamList params{{"items", 100}, {"shape", 16}};
  Setup other;
  other.seed = 99;
  other.epoch = 3;
  const auto first = run_operator("synthetic", params);
  const auto second = run_operator("synthetic", params, {}, other);
  std::set<std::vector<uint8_t>> different;
  for (size_t i = 0; i < first.size(); ++i) {
    const auto bytes = values_of<uint8_t>(first[i].tensor("x"));
    CHECK(bytes == values_of<uint8_t>(second[i].tensor("x")));
    different.insert(bytes);
  }
  CHECK(different.size() == 100);
}

TEST_CASE("synthetic floats lie in [0, 1) and every element type is written in full") {
  const auto x = [](const char* dtype, const ParamValue& shape = std::vector<int64_t>{7, 143}) {
    return run_operator("synthetic", {{"items", 1}, {"shape", shape}, {"dtype", dtype}})[0].tensor(
        "x");
  };
  const auto check_unit = [](const auto& values) {
    double sum = 0;
    for (double v : values) {
      REQUIRE(v >= 0);
      REQUIRE(v < 1);
      sum += v;
    }
    CHECK(sum / static_cast<double>(values.size()) == doctest::Approx(0.5).epsilon(0.05));
  };
  check_unit(values_of<float>(x("float32")));
  check_unit(values_of<double>(x("float64")));
  for (bool v : values_of<bool>(x("bool"))) CHECK((v == true || v == false));
  const Tensor half = x("float16");
  for (int64_t i = 0; i < half.numel(); ++i) REQUIRE(half.data_as<uint16_t>()[i] < 0x3c00);
  for (const char* dtype : {"uint8", "int8", "uint16", "int16", "int32", "int64"}) {
    const Tensor t = x(dtype);
    const auto bytes = t.bytes();
    CHECK(std::count(bytes.begin(), bytes.end(), 0xA5) < static_cast<int64_t>(bytes.size()) / 50);
  }
  CHECK(x("float32", std::vector<int64_t>{}).numel() == 1);
  CHECK(x("float32", std::vector<int64_t>{0, 4}).numel() == 0);
}

TEST_CASE("synthetic names its field and tags its layout") {
  const ParamList params{{"field", "image"}, {"layout", "HWC"}, {"items", 1}};
  const FieldTable fields = infer_operator("synthetic", params);
  CHECK(fields.names() == "image, label");
  CHECK(fields.at(0).shape == std::vector<int64_t>{224, 224, 3});
  CHECK(fields.at(0).layout == Layout::kHWC);
  CHECK(run_operator("synthetic", params)[0].tensor("image").layout() == Layout::kHWC);
  CHECK_THROWS_WITH(make_operator("synthetic", {{"layout", "CHW"}, {"shape", 4}}),
                    "a picture has 3 dimensions and 'shape' has 1");
  CHECK_THROWS_WITH(make_operator("synthetic", {{"field", "label"}}),
                    "'label' is the record's number");
}

TEST_CASE("sleep waits for its time, per item or per sample, and passes the item on") {
  CHECK(seconds_of("sleep", {{"time", 3'000'000}}) >= 0.003);
  Setup batches;
  batches.batch = 10;
  CHECK(seconds_of("sleep", {{"time", 1'000'000}, {"per", "sample"}}, batches) >= 0.010);
  const auto out = run_operator("sleep", {{"time", 1000}}, {{{"x", label_of(7)}}});
  CHECK(values_of<int64_t>(out[0].tensor("x")) == std::vector<int64_t>{7});
}

TEST_CASE("sleep and spin take their time at every n-th position only") {
  const auto shortest = [](const char* op, uint64_t position) {
    Setup setup;
    setup.origins = {Origin{.position = position}};
    double seconds = 1e9;
    for (int i = 0; i < 3; ++i) {
      const ParamList params{{"time", 20'000'000}, {"every", 4}};
      seconds = std::min(seconds, seconds_of(op, params, setup));
    }
    return seconds;
  };
  for (const char* op : {"sleep", "spin"}) {
    CAPTURE(op);
    CHECK(shortest(op, 3) < 0.010);
    CHECK(shortest(op, 8) > 0.010);
  }
}

TEST_CASE("a part of sleep's time can be computed") {
  const auto cpu_seconds = [](double part) {
    const auto start = std::clock();
    seconds_of("sleep", {{"time", 40'000'000}, {"spin", part}});
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  cpu_seconds(1);  // calibrates
  CHECK(cpu_seconds(0) < 0.010);
  CHECK(cpu_seconds(1) > 0.020);
  CHECK(seconds_of("sleep", {{"time", 40'000'000}, {"spin", 0.5}}) >= 0.020);
}

TEST_CASE("sleep ends early when the run is cancelled") {
  Setup setup;
  setup.cancelled = true;
  CHECK(seconds_of("sleep", {{"time", int64_t{60'000'000'000}}}, setup) < 5);
}

TEST_CASE("spin takes about its time and grows with it") {
  const auto best = [](int64_t ns) {
    double seconds = 1e9;
    for (int i = 0; i < 10; ++i) seconds = std::min(seconds, seconds_of("spin", {{"time", ns}}));
    return seconds;
  };
  const double one = best(1'000'000);
  CHECK(one > 0.0005);
  CHECK(best(4'000'000) > 2 * one);
}

}  // namespace
}  // namespace penstock::testing
