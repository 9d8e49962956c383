// The support for tests of operators, on the built-in ones.
#include <doctest/doctest.h>

#include "penstock/testing.h"

using namespace penstock;
using namespace penstock::testing;

namespace {

std::vector<NamedFields> four_items() {
  std::vector<NamedFields> items;
  for (int64_t i = 0; i < 4; ++i) items.push_back({{"x", label_of(i)}});
  return items;
}

constexpr const char* kFails = R"(
penstock: 1
nodes:
  - {id: give, op: give}
  - {id: fail, op: fail, on_error: {policy: POLICY}}
  - {id: batch, op: collate, params: {batch_size: 2}}
)";

std::string with_policy(const std::string& policy) {
  std::string yaml = kFails;
  return yaml.replace(yaml.find("POLICY"), 6, policy);
}

}  // namespace

TEST_CASE("a pipeline over the items of a test, with a stage that fails") {
  const std::vector<OperatorDef> stages = {feed("give", four_items()), fails_at("fail", {1})};
  const RunResult skipped = run_pipeline(with_policy("skip"), stages);
  CHECK(skipped.error == "");
  REQUIRE(skipped.items.size() == 2);
  CHECK(values_of<int64_t>(skipped.items[0].tensor("x")) == std::vector<int64_t>{0, 2});
  CHECK(values_of<int64_t>(skipped.items[1].tensor("x")) == std::vector<int64_t>{3});
  CHECK(skipped.report.errors_skipped == 1);

  const RunResult failed = run_pipeline(with_policy("fail"), stages);
  CHECK(failed.error.find("forced to fail") != std::string::npos);
  CHECK(failed.items.empty());
}

TEST_CASE("a stage waits at a gate until the test opens it") {
  Gate gate;
  const Pipeline pipeline = parse_pipeline(
      "penstock: 1\nnodes:\n  - {id: give, op: give}\n  - {id: wait, op: wait, concurrency: 2}\n",
      {feed("give", four_items()), waits_at("wait", gate)});
  Run run = pipeline.start();
  gate.wait_for_arrivals(2);
  CHECK(run.try_next().kind == Next::Kind::kNotReady);
  gate.open();
  CHECK(values_of<int64_t>(run.next().batch.tensor("x")) == std::vector<int64_t>{0});
}

TEST_CASE("an operator of the program must not have the name of one that is there") {
  CHECK_THROWS_AS(parse_pipeline("penstock: 1\nnodes: [{id: a, op: collate}]\n",
                                 {feed("collate", four_items())}),
                  InvalidPipeline);
}
