// A fork of a process that has started runs: it has none of their threads.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "penstock/pipeline.h"

namespace penstock {
namespace {

const char* const kEndless = R"(
penstock: 1
nodes:
  - {id: make, op: synthetic, params: {items: 1000000, shape: [2], dtype: float32}}
  - {id: wait, op: sleep, params: {time: 100us}}
  - {id: batch, op: collate, params: {batch_size: 4}}
)";

bool refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const std::runtime_error& error) {
    return std::string(error.what()).find("fork") != std::string::npos;
  }
  return false;
}

/// The exit code of a fork that does so; -1 where it is killed, as it is after half a minute.
int in_fork(const std::function<bool()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    _exit(action() ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("a fork may not go on with a run, nor begin one, and says so; it may read batches") {
  const Pipeline pipeline = Pipeline::parse(kEndless);
  std::optional<Engine> engine(EngineOptions{.threads = 2});
  std::optional<Run> run(pipeline.start({.engine = &*engine}));
  std::optional<Batch> batch(run->next().batch);

  CHECK(in_fork([&] { return refused([&] { (void)run->next(); }); }) == 0);
  CHECK(in_fork([&] { return refused([&] { (void)run->try_next(); }); }) == 0);
  CHECK(in_fork([&] { return refused([&] { run->stop(); }); }) == 0);
  CHECK(in_fork([&] { return refused([&] { (void)run->report(); }); }) == 0);
  CHECK(in_fork([&] { return refused([&] { (void)pipeline.start({.engine = &*engine}); }); }) == 0);
  CHECK(in_fork([&] { return refused([&] { (void)pipeline.start(); }); }) == 0);
  CHECK(in_fork([&] {
          run.reset();
          engine.reset();
          return true;
        }) == 0);
  CHECK(in_fork([&] { return batch->tensor("x").numel() == 8; }) == 0);
  CHECK(in_fork([&] {
          engine.reset();
          run = pipeline.start({.inline_run = true});
          return run->next().kind == Next::Kind::kBatch;
        }) == 0);
  CHECK(run->next().kind == Next::Kind::kBatch);  // nothing of this is felt here
}

}  // namespace
}  // namespace penstock
