// Starting, waiting, pausing, jumping, stopping and dropping runs.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "penstock/testing.h"
#include "support/case_builder.h"
#include "support/graph_run.h"

namespace penstock::testing {
namespace {

using Kind = Next::Kind;
constexpr std::chrono::seconds kLimit{60};

/// A pipeline with blocking bodies, a side Sink, expansion and groups.
GraphCase lively(int samples) {
  CaseBuilder b(2, 2);
  const int source = b.source({samples});
  b.at(source).blocking = true;
  const int map = b.map(source);
  b.sink(map);
  return b.build(b.collate(b.expand(map, 2, 2), 3));
}

int entries(const std::string& folder) {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

RunOptions with_threads(int threads) {
  RunOptions options;
  options.threads = threads;
  return options;
}

TEST_CASE("leaving 200 runs in the middle of an epoch leaves no thread and no descriptor behind") {
  int threads = 0, descriptors = 0;
  for (int i = 0; i < 210; ++i) {
    World world(lively(1000));
    world.jitter = static_cast<uint64_t>(i) + 1;
    {
      const auto run = RunImpl::start(world.plan(), with_threads(2));
      for (int batch = 0; batch < i % 5; ++batch) REQUIRE(run->next(kLimit).kind == Kind::kBatch);
      run->stop();
      CHECK(run->next(kLimit).kind == Kind::kEnd);
      CHECK(run->status() == "stopped");
    }
    CHECK(world.tokens.live() == 0);
    if (i == 9) threads = entries("/proc/self/task");
    if (i == 9) descriptors = entries("/proc/self/fd");
  }
  CHECK(entries("/proc/self/task") <= threads + 2);  // oneTBB keeps a few workers of its own
  CHECK(entries("/proc/self/fd") <= descriptors);
}

TEST_CASE("a run may be dropped at any moment") {
  for (uint64_t i = 0; i < 100; ++i) {
    World world(lively(1000));
    world.jitter = i + 1;
    for (Mode& mode : all_modes(i, 1)) {
      const auto run = RunImpl::start(world.plan(), mode.options);
      const uint64_t steps = scramble(i, 5) % 4;
      for (uint64_t batch = 0; batch < steps; ++batch) {
        REQUIRE(run->next(kLimit).kind == Kind::kBatch);
      }
    }
    CHECK(world.tokens.live() == 0);
    CHECK(world.violations().empty());
  }
}

TEST_CASE("a run begins at once, however many engines came and went before") {
  CaseBuilder b;
  b.graph().epochs = 1;
  World world(b.build(b.map(b.source({2}))));
  const auto plan = world.plan();
  for (int i = 0; i < 600; ++i) {
    const auto run = RunImpl::start(plan, with_threads(1 + i % 2));
    REQUIRE(run->next(kLimit).kind == Kind::kBatch);
  }
}

TEST_CASE("batches outlive their run") {
  World world(lively(40));
  std::vector<Batch> kept;
  {
    const auto run = RunImpl::start(world.plan(), with_threads(2));
    for (int i = 0; i < 5; ++i) {
      Next next = run->next(kLimit);
      REQUIRE(next.kind == Kind::kBatch);
      kept.push_back(std::move(next.batch));
    }
  }
  const Expected expected = evaluate(world.graph);
  for (size_t i = 0; i < kept.size(); ++i) {
    CHECK(received(world, kept[i].item()) == expected.consumer[0][i]);
    CHECK(kept[i].tensor("v").numel() == static_cast<int64_t>(kept[i].size()));
  }
  CHECK(world.tokens.live() == 5);
  std::thread([&] { kept.clear(); }).join();
  CHECK(world.tokens.live() == 0);
}

TEST_CASE("next() with a timeout and without waiting") {
  CaseBuilder b;
  World world(b.build(b.source({1})));
  Gate gate;
  world.on_body = [&](int, const Origin&) { gate.pass(); };
  const auto run = RunImpl::start(world.plan(), with_threads(1));
  gate.wait_for_arrivals(1);
  CHECK(run->next(std::chrono::nanoseconds(0)).kind == Kind::kNotReady);
  CHECK(run->next(std::chrono::milliseconds(2)).kind == Kind::kNotReady);
  gate.open();
  CHECK(run->next(kLimit).kind == Kind::kBatch);
  CHECK(run->next(std::nullopt).kind == Kind::kEpochEnd);
}

TEST_CASE("a second thread in next() is refused, and the first one goes on") {
  CaseBuilder b;
  World world(b.build(b.source({1})));
  Gate gate;
  world.on_body = [&](int, const Origin&) { gate.pass(); };
  const auto run = RunImpl::start(world.plan(), with_threads(1));
  bool received = false;
  std::thread consumer([&] {
    while (!received) {
      try {
        received = run->next(kLimit).kind == Kind::kBatch;
      } catch (const std::logic_error&) {  // ours was the second one
      }
    }
  });
  bool refused = false;
  while (!refused) {
    try {
      (void)run->next(std::chrono::nanoseconds(0));
    } catch (const std::logic_error&) {
      refused = true;
    }
  }
  gate.open();
  consumer.join();
  CHECK(received);
}

TEST_CASE("the longest time limit is none, and a negative one is over") {
  for (const Mode& mode : all_modes(4, 1)) {
    CaseBuilder b;
    World world(b.build(b.source({3})));
    world.jitter = 1;
    const auto run = RunImpl::start(world.plan(), mode.options);
    const Kind kind = run->next(std::chrono::nanoseconds::min()).kind;
    CHECK((kind == Kind::kBatch || kind == Kind::kNotReady));
    Kind next = kind;
    while (next != Kind::kEnd) {
      next = run->next(std::chrono::nanoseconds::max()).kind;
      REQUIRE(next != Kind::kNotReady);
    }
  }
}

TEST_CASE("set_epoch leaves the rest of the epochs before it") {
  for (const Mode& mode : all_modes(3, 5)) {
    CaseBuilder b(2, 2);
    World world(b.build(b.map(b.source({6}))));
    RunOptions options = mode.options;
    options.epochs = 5;
    const auto run = RunImpl::start(world.plan(), options);
    CHECK(run->next(kLimit).kind == Kind::kBatch);
    run->set_epoch(3);
    Next next = run->next(kLimit);
    REQUIRE(next.kind == Kind::kBatch);
    CHECK(next.batch.epoch() == 3);
    CHECK(next.batch.origins().front().position == 0);
    CHECK_THROWS_AS(run->set_epoch(1), std::invalid_argument);
    int batches = 1, ends = 0;
    for (next = run->next(kLimit); next.kind != Kind::kEnd; next = run->next(kLimit)) {
      REQUIRE(next.kind != Kind::kNotReady);
      batches += next.kind == Kind::kBatch;
      ends += next.kind == Kind::kEpochEnd;
    }
    CHECK(batches == 12);
    CHECK(ends == 2);
  }
}

TEST_CASE("set_epoch is refused where a Sink wants every sample") {
  World world(lively(5));
  const auto run = RunImpl::start(world.plan(), with_threads(1));
  CHECK_THROWS_AS(run->set_epoch(1), std::invalid_argument);
}

TEST_CASE("a run may begin at a later epoch") {
  CaseBuilder b;
  World world(b.build(b.source({2, 3, 4})));
  RunOptions options = with_threads(1);
  options.first_epoch = 2;
  options.epochs = 1;
  const auto run = RunImpl::start(world.plan(), options);
  for (uint64_t i = 0; i < 4; ++i) {
    const Next next = run->next(kLimit);
    REQUIRE(next.kind == Kind::kBatch);
    CHECK(next.batch.epoch() == 2);
    CHECK(next.batch.origins().front().position == i);
  }
  CHECK(run->next(kLimit).kind == Kind::kEpochEnd);
  CHECK(run->next(kLimit).kind == Kind::kEnd);
}

TEST_CASE("a run ends with the last epoch that can be counted") {
  for (const Mode& mode : all_modes(5, 1)) {
    for (const uint32_t last : {0U, 1U}) {
      CaseBuilder b;
      World world(b.build(b.source({2})));
      RunOptions options = mode.options;
      options.first_epoch = UINT32_MAX - last;
      options.epochs = UINT64_MAX;
      const auto run = RunImpl::start(world.plan(), options);
      uint32_t ends = 0, batches = 0;
      for (Next next = run->next(kLimit); next.kind != Kind::kEnd; next = run->next(kLimit)) {
        REQUIRE(next.kind != Kind::kNotReady);
        ends += next.kind == Kind::kEpochEnd;
        batches += next.kind == Kind::kBatch;
      }
      CHECK(ends == last);
      CHECK(batches == 2 * last);
    }
  }
}

TEST_CASE("hold() pauses the sources, what is in flight goes on") {
  CaseBuilder b(2, 2);
  b.graph().epochs = 1;
  World world(b.build(b.map(b.source({500}))));
  const auto run = RunImpl::start(world.plan(), with_threads(2));
  int batches = 0;
  for (; batches < 3; ++batches) REQUIRE(run->next(kLimit).kind == Kind::kBatch);
  run->hold(true);
  while (run->next(std::chrono::milliseconds(100)).kind == Kind::kBatch) ++batches;
  CHECK(batches <= 3 + item_bound(world.graph) + 2);
  const uint64_t bodies = world.bodies;
  CHECK(run->next(std::chrono::milliseconds(20)).kind == Kind::kNotReady);
  CHECK(world.bodies == bodies);
  run->hold(false);
  for (Next next = run->next(kLimit); next.kind == Kind::kBatch; next = run->next(kLimit)) {
    ++batches;
  }
  CHECK(batches == 500);
}

TEST_CASE("a run whose consumer waits can be stopped by another thread") {
  CaseBuilder b;
  const int source = b.source({3});
  World world(b.build(source));
  Gate gate;
  world.on_body = [&](int, const Origin&) { gate.pass(); };
  const auto run = RunImpl::start(world.plan(), with_threads(2));
  Next next;
  std::thread consumer([&] {
    do next = run->next(kLimit);
    while (next.kind == Kind::kBatch);
  });
  gate.wait_for_arrivals(1);
  std::thread stopper([&] { run->stop(); });
  gate.open();
  consumer.join();
  stopper.join();
  CHECK((next.kind == Kind::kEnd || next.kind == Kind::kEpochEnd));
  CHECK(run->next(kLimit).kind == Kind::kEnd);
}

TEST_CASE("who stops a run is told what is waited for") {
  CaseBuilder b;
  const int source = b.source({3});
  World world(b.build(source));
  for (const Scheduling scheduling : {Scheduling::kThreads, Scheduling::kInline}) {
    Gate gate;
    world.on_body = [&](int, const Origin&) { gate.pass(); };
    std::string told;
    RunOptions options = with_threads(2);
    options.scheduling = scheduling;
    options.stuck_warning_seconds = 0;
    options.on_warning = [&](const std::string& text) {
      if (text.rfind("stopping waits for ", 0) != 0) return;
      told = text;
      gate.open();
    };
    const auto run = RunImpl::start(world.plan(), options);
    std::thread consumer([&] { (void)run->next(kLimit); });
    gate.wait_for_arrivals(1);
    run->stop();
    consumer.join();
    CHECK(told.find("node '") != std::string::npos);
    CHECK(told.find("busy with the item at position ") != std::string::npos);
  }
}

TEST_CASE("a serial run may be stopped by one of its bodies") {
  CaseBuilder b;
  const int source = b.source({3});
  World world(b.build(source));
  RunOptions options;
  options.scheduling = Scheduling::kInline;
  std::unique_ptr<RunImpl> run;
  world.on_body = [&](int, const Origin&) { run->stop(); };
  run = RunImpl::start(world.plan(), options);
  CHECK(run->next(kLimit).kind == Kind::kEnd);
}

TEST_CASE("two runs share an engine") {
  Engine engine({.threads = 2});
  RunOptions options;
  options.engine = engine.impl();
  std::vector<std::string> wrong(4);
  std::vector<std::thread> consumers;
  for (size_t i = 0; i < wrong.size(); ++i) {
    consumers.emplace_back([&, i] {
      for (uint64_t seed = 0; seed < 5 && wrong[i].empty(); ++seed) {
        const Mode mode{"shared", options, seed + 1};
        wrong[i] = try_graph(random_graph(100 * i + seed), mode);
      }
    });
  }
  for (std::thread& consumer : consumers) consumer.join();
  for (const std::string& text : wrong) CHECK(text == "");
}

TEST_CASE("a run keeps what it needs of an engine that is gone") {
  World world(lively(400));
  std::unique_ptr<RunImpl> run;
  {
    Engine engine({.threads = 2});
    RunOptions options;
    options.engine = engine.impl();
    run = RunImpl::start(world.plan(), options);
    CHECK(run->next(kLimit).kind == Kind::kBatch);
  }
  while (run->next(kLimit).kind != Kind::kEnd) {
  }
  CHECK(run->status() == "complete");
  CHECK(check_identities(run->snapshot(), true) == "");
}

TEST_CASE("a snapshot may be taken at any time, by any thread") {
  for (const Scheduling scheduling : {Scheduling::kThreads, Scheduling::kInline}) {
    World world(lively(400));
    world.jitter = 9;
    RunOptions options = with_threads(2);
    options.scheduling = scheduling;
    const auto run = RunImpl::start(world.plan(), options);
    std::atomic<bool> over{false};
    std::string broken;
    std::thread watcher([&] {
      while (!over && broken.empty()) broken = check_identities(run->snapshot(), false);
    });
    std::string error;
    try {
      while (run->next(kLimit).kind != Kind::kEnd) {
      }
    } catch (const RunError& failed) {
      error = failed.what();
    }
    over = true;
    watcher.join();
    CHECK(broken == "");
    CHECK(error == "");
  }
}

TEST_CASE("a body that takes long is named, with its node") {
  CaseBuilder b;
  const int map = b.map(b.source({1}));
  b.graph().epochs = 1;
  World world(b.build(map));
  Gate body, warned;
  world.on_body = [&](int node, const Origin&) {
    if (node == map) body.pass();
  };
  RunOptions options = with_threads(2);
  options.stuck_warning_seconds = 0.02;
  std::string warning;
  options.on_warning = [&](const std::string& text) {
    if (text.find(id_of(world.graph, map)) == std::string::npos) return;
    warning = text;
    warned.open();
    warned.pass();
  };
  const auto run = RunImpl::start(world.plan(), options);
  body.wait_for_arrivals(1);
  Next next;
  std::thread consumer([&] { next = run->next(kLimit); });
  warned.wait_for_arrivals(1);
  body.open();
  consumer.join();
  CHECK(next.kind == Kind::kBatch);
  MESSAGE(warning);
}

TEST_CASE("a body that was always short and takes long holds up neither next() nor its name") {
  CaseBuilder b;
  const int map = b.map(b.source({4000}));
  b.graph().epochs = 1;
  World world(b.build(map));
  Gate body, warned;
  world.on_body = [&](int node, const Origin& origin) {
    if (node == map && origin.position == 3000) body.pass();
  };
  RunOptions options = with_threads(1);
  options.stuck_warning_seconds = 0.02;
  options.on_warning = [&](const std::string& text) {
    if (text.find(id_of(world.graph, map)) == std::string::npos) return;
    warned.open();
    warned.pass();
  };
  const auto run = RunImpl::start(world.plan(), options);
  uint64_t batches = 0;
  for (int not_ready = 0; not_ready < 3;) {
    const Next next = run->next(std::chrono::milliseconds(5));
    if (next.kind == Kind::kNotReady) not_ready += body.arrived();
    if (next.kind == Kind::kBatch) ++batches;
  }
  std::thread watcher([&] { run->snapshot(); });  // waits, or not, for the body
  Next held_up;
  std::thread consumer([&] { held_up = run->next(kLimit); });
  warned.wait_for_arrivals(1);
  body.open();
  watcher.join();
  consumer.join();
  REQUIRE(held_up.kind == Kind::kBatch);
  ++batches;
  for (Next next = run->next(kLimit); next.kind != Kind::kEnd; next = run->next(kLimit)) {
    REQUIRE(next.kind != Kind::kNotReady);
    if (next.kind == Kind::kBatch) ++batches;
  }
  CHECK(batches == 4000);
  CHECK(check_identities(run->snapshot(), true) == "");
}

}  // namespace
}  // namespace penstock::testing
