// Operators that fail outside their bodies, and faults that are the machine's and not the sample's.
#include <doctest/doctest.h>

#include <chrono>
#include <new>
#include <stdexcept>
#include <string>

#include "penstock/operator.h"
#include "runtime/run.h"
#include "support/case_builder.h"
#include "support/graph_run.h"
#include "support/plain_operators.h"
#include "support/plan_builder.h"

namespace penstock::testing {
namespace {

constexpr std::chrono::seconds kLimit{60};

/// Four samples in epoch 0; cannot tell how many there are in the next one, nor any sample's name.
class Moody : public Source {
 public:
  uint64_t size(uint32_t epoch) const override {
    if (epoch > 0) throw std::runtime_error("the index is gone");
    return 4;
  }
  std::string key(uint64_t) const override { throw std::runtime_error("no names"); }
  void infer(FieldTable& fields) override {
    field_ = fields.add({.name = "value", .dtype = DType::kInt64, .shape = std::vector<int64_t>{}});
  }
  void process(Context& ctx) override {
    *ctx.output(field_, {}, DType::kInt64).mutable_data_as<int64_t>() =
        static_cast<int64_t>(ctx.origin().position);
  }

 private:
  int field_ = -1;
};

Registry with_moody() {
  Registry registry = plain_registry();
  OperatorDef def;
  def.schema = Schema("moody", Kind::kSource, "A source that fails.");
  def.make = [](const Params&) { return std::make_unique<Moody>(); };
  REQUIRE(registry.add(std::move(def), "test").empty());
  return registry;
}

std::vector<RunOptions> ways() {
  std::vector<RunOptions> list(3);
  list[0].threads = 1;
  list[1].threads = 2;
  list[2].scheduling = Scheduling::kInline;
  return list;
}

/// Batches before the error, and the error's text.
std::pair<int, std::string> run_to_error(const std::shared_ptr<const Plan>& plan,
                                         const RunOptions& options) {
  const auto run = RunImpl::start(plan, options);
  int batches = 0;
  try {
    for (Next next = run->next(kLimit); next.kind != Next::Kind::kEnd; next = run->next(kLimit)) {
      if (next.kind == Next::Kind::kNotReady) return {batches, "nothing came"};
      batches += next.kind == Next::Kind::kBatch;
    }
  } catch (const RunError& error) {
    CHECK(run->status() == "failed");
    return {batches, error.what()};
  }
  return {batches, ""};
}

TEST_CASE("a source that cannot tell its length ends the run with its words") {
  const Registry registry = with_moody();
  const auto plan =
      plan_or_throw(PlanBuilder().node("read", "moody").node("add", "pass").epochs(2), registry);
  for (const RunOptions& options : ways()) {
    const auto [batches, text] = run_to_error(plan, options);
    CHECK(batches == 4);
    CHECK_MESSAGE(text.find("cannot tell its length: the index is gone") != std::string::npos,
                  text);
  }
}

TEST_CASE("a source that cannot name its samples does not hide their errors") {
  const Registry registry = with_moody();
  const auto plan = plan_or_throw(
      PlanBuilder().node("read", "moody").node("add", "pass").param("fail_at", 2), registry);
  for (const RunOptions& options : ways()) {
    const auto [batches, text] = run_to_error(plan, options);
    CHECK(batches == 2);
    CHECK_MESSAGE(text.find("refuses 2") != std::string::npos, text);
  }
}

TEST_CASE("no policy passes over what is the machine's fault") {
  CaseBuilder b(2, 2);
  const int map = b.map(b.source({6}));
  b.at(map).on_fail = OnFail::kSkip;
  b.graph().epochs = 1;
  const GraphCase graph = b.build(map);
  const auto text_of = [&graph, map](const auto& fail) {
    World world(graph);
    world.on_body = [&](int node, const Origin& origin) {
      if (node == map && origin.position == 3) fail();
    };
    return run_to_error(world.plan(), {});
  };
  CHECK(text_of([] { throw std::runtime_error("a bad sample"); }).second.empty());
  const auto [before, machine] = text_of([] { throw MachineError("no descriptor is left"); });
  CHECK(before == 3);
  CHECK(machine.find("no descriptor is left") != std::string::npos);
  CHECK(text_of([] { throw std::bad_alloc(); }).second.find("out of memory") != std::string::npos);
}

}  // namespace
}  // namespace penstock::testing
