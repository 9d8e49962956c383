#include "compare/sweep.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "report/sweep_format.h"
#include "support/sweep_table.h"

namespace penstock {
namespace {

using testing::sweep_of;

TEST_CASE("scaling stops at the first value within 5 % of the best") {
  const Sweep sweep = sweep_of({"1", "2", "4", "8", "16"}, 384, {447, 902, 1796, 2620, 2639});
  const std::vector<Curve> curves = curves_of(sweep);
  REQUIRE(curves.size() == 1);
  CHECK(curves[0].runs == std::vector<size_t>{1, 2, 3, 4, 5});
  CHECK(curves[0].serial == size_t{0});
  CHECK(curves[0].stops == size_t{3});
  CHECK(!curves[0].predicted);
  CHECK(!curves[0].falls);
}

TEST_CASE("a curve goes by the numbers of its axis, and may fall") {
  const Sweep sweep = sweep_of({"8", "1", "2"}, 400, {500, 450, 900});
  const Curve curve = curves_of(sweep).at(0);
  CHECK(curve.runs == std::vector<size_t>{2, 3, 1});
  CHECK(curve.stops == size_t{1});
  CHECK(curve.falls);
}

TEST_CASE("runs that were not made are in no curve") {
  Sweep sweep = sweep_of({"1", "2", "4"}, 400, {450, 900, 1800});
  sweep.runs[3].report.reset();
  CHECK(curves_of(sweep).at(0).runs == std::vector<size_t>{1, 2});
  for (SweepRun& run : sweep.runs) run.report.reset();
  CHECK(curves_of(sweep).empty());
}

TEST_CASE("each work has a curve of its own, with its own serial run") {
  Sweep sweep;
  sweep.keys = {parse_vary("nodes.make.params.f=0.5,1"), parse_vary("nodes.make.concurrency=1,2")};
  for (SweepRow& row : sweep_rows(sweep.keys)) {
    SweepRun run{std::move(row), {}, Report{}};
    run.report->examples_per_s = 100;
    sweep.runs.push_back(run);
  }
  const std::vector<Curve> curves = curves_of(sweep);
  REQUIRE(curves.size() == 2);
  CHECK(curves[0].runs == std::vector<size_t>{1, 2});
  CHECK(curves[0].serial == size_t{0});
  CHECK(curves[1].runs == std::vector<size_t>{4, 5});
  CHECK(curves[1].serial == size_t{3});
  CHECK(curves[1].key == 1);
}

TEST_CASE("without a setting that is a number there is no curve") {
  CHECK(curves_of(sweep_of({"auto", "2"}, 400, {500, 450})).empty());
  CHECK(gnuplot_of(sweep_of({"auto", "2"}, 400, {500, 450})).empty());
  CHECK(gnuplot_of(sweep_of({"2"}, 400, {500})).empty());
}

TEST_CASE("the plot quotes names and marks unknown predictions") {
  Sweep sweep = sweep_of({"1", "2"}, 400, {450, 900});
  sweep.pipeline = "it's";
  sweep.runs[2].predicted = Prediction{.examples_per_s = 880};
  const std::string plot = gnuplot_of(sweep);
  CHECK(plot.find("set title 'it''s'\n") != std::string::npos);
  CHECK(plot.find("\n1 450 NaN 0\n2 900 880 0\nEOD\n") != std::string::npos);
}

}  // namespace
}  // namespace penstock
