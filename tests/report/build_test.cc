#include "report/build.h"

#include <doctest/doctest.h>

#include <memory>

#include "diagnose/busiest.h"
#include "plugin/loader.h"
#include "report/empty_run.h"
#include "report/sample.h"
#include "support/plan_builder.h"

using namespace penstock;

namespace {

Registry builtin() {
  std::vector<Diagnostic> diagnostics;
  Registry registry = load_default_registry({}, &diagnostics);
  REQUIRE(diagnostics.empty());
  return registry;
}

/// make -> batch -> consumer.
std::shared_ptr<const Plan> two_nodes() {
  PlanBuilder builder;
  builder.node("make", "synthetic").param("items", 22).param("shape", "[2]");
  builder.node("batch", "collate").param("batch_size", 64).param("drop_last", "true");
  builder.concurrency(2).queue(3);
  return plan_or_throw(builder, builtin());
}

/// A run's clocks after 1000 and 3000 ns, with a unit's own `now` a little apart.
Snapshot at_start() {
  Snapshot snapshot;
  snapshot.now = 1000;
  snapshot.units.resize(2);
  snapshot.units[0].id = "make";
  snapshot.units[0].now = 1000;
  snapshot.units[0].states.starved = {0};
  snapshot.units[0].states.running = 1000;
  snapshot.units[0].states.blocked = {0};
  snapshot.units[0].firings = snapshot.units[0].items_out = 3;
  snapshot.units[1].id = "batch";
  snapshot.units[1].now = 1010;
  snapshot.units[1].concurrency = 2;
  snapshot.units[1].states.starved = {2020};
  snapshot.units[1].states.blocked = {0};
  snapshot.edges.resize(2);
  snapshot.edges[0] = {.now = 1000, .capacity = 3, .puts = 3, .gets = 1, .content = 2};
  snapshot.edges[1] = {.now = 1000, .capacity = 2, .capacity_bytes = 64};
  return snapshot;
}

Snapshot at_end() {
  Snapshot snapshot = at_start();
  snapshot.now = 3000;
  UnitSnapshot& make = snapshot.units[0];
  make.now = 3000;
  make.states.running = 1500;
  make.states.blocked = {1500};
  make.firings = make.items_out = 13;
  UnitSnapshot& batch = snapshot.units[1];
  batch.now = 3010;
  batch.states.starved = {2020 + 1000};
  batch.states.running = 2800;
  batch.states.order_held = 200;
  batch.sampled = {
      .firings = 1, .wall_ns = 100, .cpu_ns = 50, .run_queue_ns = 25, .has_run_queue = true};
  batch.firings = batch.items_out = 2;
  batch.items_in = 8;
  batch.skipped = 1;
  batch.service.add(1400);
  batch.service.add(1400);
  EdgeSnapshot& edge = snapshot.edges[0];
  edge.now = 3000;
  edge.puts = 13;
  edge.gets = 10;
  edge.content = edge.fill_max = 3;
  edge.occupancy_ns = 5000;
  edge.full_ns = 1500;
  edge.empty_ns = 100;
  snapshot.edges[1].now = 3000;
  snapshot.consumer.batches = 2;
  snapshot.consumer.examples = 8;
  snapshot.consumer.wait_ns = 1500;
  snapshot.consumer.work_ns = 500;
  snapshot.consumer.first_batch_ns = 1200;
  snapshot.bytes_in_flight_max = 77;
  snapshot.process_cpu_ns = 2'000'000'000;
  return snapshot;
}

ReportContext context() {
  ReportContext context;
  context.machine = MachineReport{2, {0, 1}, std::nullopt, "", ""};
  context.rss_max_bytes = 9;
  return context;
}

}  // namespace

TEST_CASE("a report is the difference of two snapshots") {
  const auto plan = two_nodes();
  const Report report = build_report(*plan, at_start(), at_end(), context());
  CHECK(report.window_seconds == doctest::Approx(2e-6));
  CHECK(report.examples_per_s == doctest::Approx(4e6));
  CHECK(report.first_batch_ms == doctest::Approx(0.0012));
  CHECK(report.wait_fraction == 0.75);
  CHECK(report.bytes_in_flight_max == 77);
  CHECK(report.rss_max_bytes == 9);
  CHECK(report.process_cpu_s == 2.0);

  REQUIRE(report.nodes.size() == 2);
  const NodeReport& make = report.nodes[0];
  CHECK(make.items_out == 10);
  CHECK(make.share.on_cpu == 0.25);  // no sample: a computing node counts as on the CPU
  CHECK_FALSE(make.share.run_queue);
  CHECK(make.share.blocked == 0.75);
  CHECK(make.blocked_by == std::map<std::string, double>{{"batch", 0.75}});
  CHECK(make.starved_by.empty());  // a source has no neighbour to wait for
  const NodeReport& batch = report.nodes[1];
  CHECK(batch.kind == "cpu");
  CHECK(batch.concurrency == 2);
  CHECK(batch.share.starved == 0.25);
  CHECK(batch.share.on_cpu == 0.35);
  CHECK(batch.share.run_queue == 0.175);
  CHECK(batch.share.off_cpu == 0.175);
  CHECK(batch.share.order_held == 0.05);
  CHECK(batch.starved_by == std::map<std::string, double>{{"make", 0.25}});
  CHECK(batch.cpu_ms_mean.value() == doctest::Approx(700e-6));
  CHECK(batch.service_ms.max == doctest::Approx(0.0014));

  REQUIRE(report.edges.size() == 2);
  CHECK(report.edges[0].from == "make");
  CHECK(report.edges[0].to == "batch");
  CHECK(report.edges[0].fill_mean == 2.5);
  CHECK(report.edges[0].full == 0.75);
  CHECK(report.edges[0].empty == 0.05);
  CHECK(report.edges[0].puts - report.edges[0].gets == 1);
  CHECK(report.edges[0].content_end - report.edges[0].content_begin == 1);
  CHECK(report.edges[1].to == "consumer");
  CHECK(report.edges[1].capacity_bytes == 64);
  CHECK(report.errors_skipped == 1);
  CHECK(report.errors_by_node == std::map<std::string, uint64_t>{{"batch", 1}});
}

TEST_CASE("an empty snapshot stands for the run's start") {
  const Report report = build_report(*two_nodes(), {}, at_end(), context());
  CHECK(report.window_seconds == doctest::Approx(3e-6));
  CHECK(report.nodes[0].items_out == 13);
  CHECK(report.nodes[0].share.on_cpu + report.nodes[0].share.blocked == 1.0);
}

TEST_CASE("stamps that had to be put in order are noted when they are many") {
  Snapshot end = at_end();
  CHECK(build_report(*two_nodes(), {}, end, context()).notes.empty());
  end.units[1].clamps = 2;
  CHECK(build_report(*two_nodes(), {}, end, context()).notes ==
        std::vector<std::string>{"2 stamps of 15 firings were out of order and put in order"});
}

TEST_CASE("CPU time that the host or a quota kept from the run is noted where it matters") {
  ReportContext with_log = context();
  with_log.log = RunLog{};
  with_log.log->marks.resize(2);
  Snapshot& first = with_log.log->marks[0];
  Snapshot& last = with_log.log->marks[1];
  last.now = 1'000'000'000;
  first.cpus = {.known = true, .busy_ns = 1, .steal_ns = 7, .throttled_ns = 0};
  last.cpus = {.known = true, .busy_ns = 2, .steal_ns = 7 + 20'000'000, .throttled_ns = 0};
  CHECK(build_report(*two_nodes(), {}, at_end(), with_log).notes.empty());  // 1 % of two CPUs
  last.cpus.steal_ns += 1'000'000;
  last.cpus.throttled_ns = 500'000'000;
  CHECK(build_report(*two_nodes(), {}, at_end(), with_log).notes ==
        std::vector<std::string>{"the host of this virtual machine took CPUs away for 21.0 ms",
                                 "the control group's CPU quota held threads back for 500 ms"});
}

TEST_CASE("a report with a log has a verdict, also where none can be given") {
  CHECK_FALSE(build_report(*two_nodes(), {}, at_end(), context()).verdict);
  ReportContext with_log = context();
  with_log.log = RunLog{};
  const Report report = build_report(*two_nodes(), {}, at_end(), with_log);
  REQUIRE(report.verdict);
  CHECK(report.verdict->limit == "invalid");
}

TEST_CASE("the busiest node is the one whose slots ran the largest share") {
  CHECK(busiest(at_start(), at_end()).id == "batch");
  CHECK(busiest(at_start(), at_end()).share == doctest::Approx(0.7));
  Snapshot end = at_end();
  end.consumer.work_ns = 1900;
  CHECK(busiest(at_start(), end).id == "consumer");
  CHECK(busiest(end, end).id.empty());
}

TEST_CASE("an empty run is explained by the first node that gave nothing") {
  const auto plan = two_nodes();
  Snapshot end = at_end();
  end.units[1].items_out = 0;
  CHECK(explain_empty_run(*plan, end).reason ==
        "collate 'batch' needs 64 samples for a batch and drops a short one (drop_last), and an "
        "epoch brings fewer: make has 22");
  end.units[0].items_out = 0;
  CHECK(explain_empty_run(*plan, end).reason == "synthetic 'make' produced no sample");
}

TEST_CASE("CPU time and firings are those of finished bodies: no more than the service") {
  const auto plan = two_nodes();
  Snapshot end = at_end();
  UnitSnapshot& batch = end.units[1];
  batch.states.running += 100'000;  // a body that goes on
  batch.firings += 3;               // ends of epochs
  const Report report = build_report(*plan, at_start(), end, context());
  CHECK(report.nodes[1].firings == 2);
  CHECK(report.nodes[1].cpu_ms_mean.value() == doctest::Approx(700e-6));
  CHECK_FALSE(report.nodes[0].cpu_ms_mean);  // no body in the window
}

TEST_CASE("samples go through zip, take, filter, repeat and collate") {
  const Registry registry = builtin();
  PlanBuilder builder;
  builder.node("make", "synthetic").param("items", 8).param("shape", "[2]");
  builder.node("left", "filter").from({"make"}).param("every", 2);
  builder.node("join", "zip").from_named({{"a", "left"}, {"b", "make"}});
  builder.node("batch", "collate").from({"join"}).param("batch_size", 2);
  const auto joined = sample_plan(*plan_or_throw(builder, registry), 6);
  CHECK(format_text(joined) ==
        "make (synthetic): 6 items\n  x      uint8 [2]\n  label  int64 []\n"
        "left (filter): 3 items, 3 filtered\n  x      uint8 [2]\n  label  int64 []\n"
        "join (zip): 3 items\n  a.x      uint8 [2]\n  a.label  int64 []\n"
        "  b.x      uint8 [2]\n  b.label  int64 []\n"
        "batch (collate): 2 items\n  a.x      uint8 [2, 2]; uint8 [1, 2]\n"
        "  a.label  int64 [2]; int64 [1]\n  b.x      uint8 [2, 2]; uint8 [1, 2]\n"
        "  b.label  int64 [2]; int64 [1]\n");

  PlanBuilder chain;
  chain.node("make", "synthetic").param("items", 8).param("shape", "[2]");
  chain.node("twice", "repeat").param("times", 2);
  chain.node("some", "take").param("count", 5);
  const auto taken = sample_plan(*plan_or_throw(chain, registry), 3);
  CHECK(taken[1].items == 6);
  CHECK(taken[2].items == 5);
  CHECK_FALSE(has_errors(taken));
}
