// Pipelines whose limit is planted have it.

#include "attribution/generate.h"

#include <doctest/doctest.h>

#include <map>

namespace penstock::bench::attribution {
namespace {

/// Demand of a node on its slots, as a part of the planted period.
double load_of(const PipelineCase& pipeline, size_t n) {
  const NodeCase& node = pipeline.nodes[n];
  return node.service_ms() * calls_per_batch(pipeline)[n] / node.slots / pipeline.period_ms;
}

TEST_CASE("a hundred seeds in a row have every class in its share") {
  std::map<std::string, int> counts;
  for (uint64_t seed = 10017; seed < 10117; ++seed) ++counts[generate(seed).planted];
  const std::map<std::string, int> expected = {
      {"none", 23},   {"consumer", 25}, {"cpu", 10},     {"threads", 9}, {"collate", 9},
      {"diamond", 9}, {"slot_io", 5},   {"slot_cpu", 4}, {"order", 3},   {"two_equal", 3}};
  CHECK(counts == expected);
}

TEST_CASE("a seed gives one pipeline") {
  CHECK(to_json(generate(12)) == to_json(generate(12)));
  CHECK(to_json(generate(12)) != to_json(generate(112)));
}

TEST_CASE("slots that are planted as the limit are full, all others have the margin") {
  int seen = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const PipelineCase pipeline = generate(seed);
    const std::string& planted = pipeline.planted;
    if (planted != "slot_io" && planted != "slot_cpu" && planted != "collate" &&
        planted != "diamond") {
      continue;
    }
    ++seen;
    REQUIRE(pipeline.limiters.size() == 1);
    CAPTURE(seed);
    for (size_t n = 0; n < pipeline.nodes.size(); ++n) {
      const bool planted_here = pipeline.nodes[n].id == pipeline.limiters[0];
      if (planted_here) {
        CHECK(load_of(pipeline, n) == doctest::Approx(1).epsilon(0.01));
      } else {
        CHECK(load_of(pipeline, n) <= 1 / pipeline.margin + 0.01);
      }
    }
    CHECK(pipeline.consumer.service_ms() <= pipeline.period_ms / pipeline.margin + 0.01);
  }
  CHECK(seen == 4 * 27);
}

TEST_CASE("a CPU that is planted as the limit is wanted all the time, and no slots are") {
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    const PipelineCase pipeline = generate(seed);
    if (pipeline.planted != "cpu") continue;
    CAPTURE(seed);
    double cpu = pipeline.consumer.cpu_ms;
    const std::vector<double> calls = calls_per_batch(pipeline);
    for (size_t n = 0; n < pipeline.nodes.size(); ++n) {
      cpu += pipeline.nodes[n].cpu_ms * calls[n];
      CHECK(load_of(pipeline, n) <= 1 / pipeline.margin + 0.01);
    }
    CHECK(cpu / pipeline.period_ms == doctest::Approx(pipeline.cpus).epsilon(0.01));
  }
}

}  // namespace
}  // namespace penstock::bench::attribution
