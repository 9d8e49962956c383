#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <penstock/testing.h>

#include <filesystem>
#include <fstream>

using namespace penstock;
using namespace penstock::testing;

namespace {

/// Ten rows of four values: row r is r, r, r, r.
std::string write_table() {
  std::ofstream file("ten.table", std::ios::binary);
  for (int i = 0; i < 40; ++i) {
    const auto value = static_cast<float>(i / 4);
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return "ten.table";
}

/// Open files of this process that bear that name.
long open_files(const std::string& name) {
  long count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code error;
    count += std::filesystem::read_symlink(entry.path(), error).filename() == name;
  }
  return count;
}

constexpr const char* kPipeline = R"(
penstock: 1
nodes:
  - {id: give, op: give}
  - {id: wait, op: wait}
  - {id: look, op: table_lookup, params: {file: ten.table}, concurrency: 2}
)";

}  // namespace

TEST_CASE("the label's row is added") {
  const auto out = run_operator("table_lookup", {{"file", write_table()}},
                                {{{"label", label_of(7)}}, {{"label", label_of(0)}}});
  CHECK(values_of<float>(out[0].tensor("row")) == std::vector<float>(4, 7));
  CHECK_THROWS_WITH(
      run_operator("table_lookup", {{"file", "ten.table"}}, {{{"label", label_of(10)}}}),
      "the table has 10 rows, and row 10 is asked for");
}

TEST_CASE("the file is opened at the first sample and closed at the end") {
  write_table();
  Gate gate;
  const std::vector<NamedFields> items(6, {{"label", label_of(3)}});
  const Pipeline pipeline =
      parse_pipeline(kPipeline, {feed("give", items), waits_at("wait", gate)});
  {
    Run run = pipeline.start();
    gate.wait_for_arrivals(1);
    CHECK(open_files("ten.table") == 0);
    gate.open();
    CHECK(run.next().kind == Next::Kind::kBatch);
    CHECK(open_files("ten.table") >= 1);
  }
  CHECK(open_files("ten.table") == 0);
}
