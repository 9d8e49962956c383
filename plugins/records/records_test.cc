#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <penstock/testing.h>

#include <fstream>

using namespace penstock;
using namespace penstock::testing;

namespace {

template <typename T>
void put(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Record i has the label i and i + 1 values, all of them i / 2.
std::string records(uint64_t count) {
  std::string index, data;
  for (uint64_t i = 0; i < count; ++i) {
    put(index, 16 + 16 * count + data.size());
    put(index, 8 + 4 * (i + 1));
    put(data, static_cast<int64_t>(i));
    for (uint64_t k = 0; k <= i; ++k) put(data, static_cast<float>(i) / 2);
  }
  std::string bytes = "RECORDS1";
  put(bytes, count);
  return bytes + index + data;
}

std::string write(const std::string& name, const std::string& bytes) {
  std::ofstream(name, std::ios::binary) << bytes;
  return name;
}

}  // namespace

TEST_CASE("each record has its label and its values") {
  const auto out = run_operator("records", {{"file", write("ten.records", records(10))}});
  REQUIRE(out.size() == 10);
  CHECK(values_of<int64_t>(out[3].tensor("label")) == std::vector<int64_t>{3});
  CHECK(values_of<float>(out[3].tensor("x")) == std::vector<float>(4, 1.5F));
}

TEST_CASE("a file that is none, or says more than it has, is a mistake of the pipeline") {
  const auto open = [](const std::string& bytes) {
    make_operator("records", {{"file", write("bad.records", bytes)}});
  };
  CHECK_THROWS_AS(open(""), ParamError);
  CHECK_THROWS_AS(open("RECORDS2" + records(2).substr(8)), ParamError);
  CHECK_THROWS_AS(open(records(9).substr(0, 100)), ParamError);
  std::string many = records(2);
  many[15] = '\x7f';
  CHECK_THROWS_AS(open(many), ParamError);
}

TEST_CASE("a record whose place makes no sense fails alone") {
  std::string bytes = records(3);
  bytes[16 + 16 + 7] = '\x7f';  // the second one's offset
  write("far.records", bytes);
  const auto result = run_pipeline(
      "penstock: 1\nnodes: [{id: read, op: records, params: {file: far.records}, on_error: "
      "{policy: skip}}]\n");
  CHECK(result.items.size() == 2);
  CHECK(result.report.errors_skipped == 1);
}
