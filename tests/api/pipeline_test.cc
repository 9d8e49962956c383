#include "penstock/pipeline.h"

#include <doctest/doctest.h>

#include <fstream>
#include <numeric>
#include <string>

#include "measure/split.h"
#include "plan/plan.h"
#include "runtime/run.h"

namespace penstock {
namespace {

const char* const kSmall = R"(
penstock: 1
name: small
nodes:
  - {id: make, op: synthetic, params: {items: 10, shape: [2], dtype: float32}}
  - {id: batch, op: collate, params: {batch_size: 4}}
)";

TEST_CASE("a text becomes a pipeline that can be started more than once") {
  const Pipeline pipeline = Pipeline::parse(kSmall);
  CHECK(pipeline.plan().name() == "small");
  for (int i = 0; i < 2; ++i) {
    Run run = pipeline.start();
    CHECK(run.size() == 3);
    uint64_t batches = 0, samples = 0;
    Next next = run.next();
    for (; next.kind == Next::Kind::kBatch; next = run.next()) {
      ++batches;
      samples += next.batch.size();
    }
    CHECK(next.kind == Next::Kind::kEpochEnd);
    CHECK(run.next().kind == Next::Kind::kEnd);
    CHECK(run.next().kind == Next::Kind::kEnd);
    CHECK(batches == 3);
    CHECK(samples == 10);
    CHECK(run.report().batches == 3);
  }
}

TEST_CASE("options of the loader change values and add libraries") {
  LoadOptions options;
  options.set = {"nodes.batch.params.batch_size=5"};
  CHECK(Pipeline::parse(kSmall, options).plan().batches_per_epoch(0) == 2);
  options.plugins = {"no-such.so"};
  CHECK_THROWS_WITH_AS(Pipeline::parse(kSmall, options),
                       "error[plugin]: cannot load 'no-such.so': there is no such file\n",
                       InvalidPipeline);
}

/// Counts every sample once, every third three times more; fails for 4 and, once it has returned,
/// for 6; drops 5.
class Tallier : public Operator {
 public:
  void process(Context& ctx) override {
    const uint64_t position = ctx.origin().position;
    ctx.tally(0);
    for (int i = 0; position % 3 == 0 && i < 3; ++i) ctx.tally(1);
    if (position == 4) throw std::runtime_error("not this one");
    if (position == 5) ctx.drop();
    if (position == 6) ctx.set(99, std::string("nowhere"));
    if (position == 7) ctx.tally(1, 10);
  }
};

TEST_CASE("the report has the sums of what bodies count that neither fail nor drop") {
  LoadOptions options;
  options.operators.push_back({.schema = Schema("tallier", Kind::kMap, "Counts.")
                                             .drops()
                                             .tallies("seen", "samples")
                                             .tallies("thirds", "three for every third, and ten"),
                               .make = [](const Params&) { return std::make_unique<Tallier>(); }});
  const Pipeline pipeline = Pipeline::parse(R"(
penstock: 1
name: counted
epochs: 3
nodes:
  - {id: make, op: synthetic, params: {items: 10, shape: [2], dtype: float32}}
  - {id: count, op: tallier, concurrency: 4, on_error: skip}
  - {id: batch, op: collate, params: {batch_size: 4}}
)",
                                            options);
  using Sums = std::vector<std::pair<std::string, uint64_t>>;
  for (const bool serial : {false, true}) {
    Run run = pipeline.start({.inline_run = serial});
    while (run.next().kind != Next::Kind::kEnd) continue;
    const Report report = run.report();
    CHECK(report.nodes[1].tallies == Sums{{"seen", 3 * 7}, {"thirds", 3 * (9 + 10)}});
    CHECK(report.nodes[0].tallies.empty());
  }
}

TEST_CASE("mistakes of the file and of the plan come together, sorted") {
  const char* const bad = R"(penstock: 1
nodes:
  - {id: make, op: synthetc, concurrency: none}
  - {id: batch, op: collate, params: {batch_sise: 4}}
sed: 3
)";
  try {
    Pipeline::parse(bad);
    FAIL("no error");
  } catch (const InvalidPipeline& error) {
    std::vector<std::string> codes;
    for (const Diagnostic& diagnostic : error.diagnostics()) codes.push_back(diagnostic.code);
    CAPTURE(std::string(error.what()));
    CHECK(codes ==
          std::vector<std::string>{"unknown-op", "wrong-type", "unknown-param", "unknown-key"});
  }
}

// Every block of docs/yaml.md that is a whole pipeline.
TEST_CASE("the pipelines of the documentation are right") {
  std::ifstream page(PENSTOCK_SOURCE_DIR "/docs/yaml.md");
  std::string block;
  bool inside = false;
  int checked = 0;
  for (std::string line; std::getline(page, line);) {
    if (line == "```yaml") {
      inside = true;
      block.clear();
    } else if (line == "```" && inside) {
      inside = false;
      if (!block.starts_with("penstock:")) continue;
      CHECK_NOTHROW(Pipeline::parse(block));
      ++checked;
    } else if (inside) {
      block += line + "\n";
    }
  }
  CHECK(checked > 0);
}

TEST_CASE("check lists mistakes of a file and does not throw") {
  const auto missing = Pipeline::check("no-such-file.yaml");
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].code == "cannot-read");
}

TEST_CASE("an engine refuses options that make no sense") {
  CHECK_NOTHROW(Engine({.threads = 4096}));
  CHECK_THROWS_WITH_AS(Engine({.threads = 4097}),
                       "an engine has 1 to 4096 threads, or 0: as many as CPUs; not 4097",
                       std::invalid_argument);
  CHECK_THROWS_AS(Engine({.threads = -1}), std::invalid_argument);
  CHECK_THROWS_AS(Engine({.memory_bytes = -1}), std::invalid_argument);
}

/// States of a run of the pipeline at its end.
Snapshot snapshot_at_end(const char* yaml) {
  Run run = Pipeline::parse(yaml).start();
  while (run.next().kind == Next::Kind::kBatch) {
  }
  return run.impl().snapshot();
}

TEST_CASE("the clocks of long bodies are read again and again, not of the first one only") {
  const Snapshot snapshot = snapshot_at_end(R"(
penstock: 1
nodes:
  - {id: make, op: synthetic, params: {items: 40, shape: [2]}}
  - {id: wait, op: sleep, params: {time: 2ms}}
)");
  CHECK(snapshot.units.at(1).sampled.firings >= 4);  // 40 unless a read takes more than 10 us
}

TEST_CASE("what waits for a CPU is not said to compute") {
  const Snapshot snapshot = snapshot_at_end(R"(
penstock: 1
threads: 6
nodes:
  - {id: make, op: synthetic, params: {items: 600, shape: [2]}}
  - {id: spin, op: spin, params: {time: 1ms}, concurrency: 6}
)");
  const UnitSnapshot& spin = snapshot.units.at(1);
  const RunningSplit split = split_running(spin.states.running, spin.sampled, true);
  const auto process = static_cast<double>(snapshot.process_cpu_ns);
  CHECK(static_cast<double>(split.on_cpu) <= 1.1 * process);
  CHECK(static_cast<double>(split.on_cpu) >= 0.7 * process);
}

TEST_CASE("a node that makes streams of samples waits for them, not for a thread") {
  const Snapshot snapshot = snapshot_at_end(R"(
penstock: 1
nodes:
  - {id: make, op: synthetic, params: {items: 60, shape: [2]}}
  - {id: wait, op: sleep, params: {time: 4ms}}
  - {id: twice, op: repeat, params: {times: 2}}
)");
  const SlotStates& states = snapshot.units.at(2).states;
  const int64_t starved = std::accumulate(states.starved.begin(), states.starved.end(), int64_t{0});
  CHECK(starved >= 10 * states.thread_wait);
}

}  // namespace
}  // namespace penstock
