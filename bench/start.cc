// From the start of a process to its first batch, against a process that links and opens the same
// libraries and does nothing. Both are this program, in two hidden modes.

#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include "measurement.h"
#include "penstock/pipeline.h"

namespace penstock::bench {
namespace {

/// Wall time of this program in one of its hidden modes, in seconds.
double time_child(const std::string& program, const std::string& mode, const std::string& graph) {
  const std::string path = program + "/penstock_bench";
  std::string arguments[] = {path, mode, "--graph", graph};
  char* argv[] = {arguments[0].data(), arguments[1].data(), arguments[2].data(),
                  arguments[3].data(), nullptr};
  const int64_t start = wall_now();
  pid_t child = 0;
  if (posix_spawn(&child, path.c_str(), nullptr, nullptr, argv, environ) != 0) {
    throw std::runtime_error("cannot start " + path);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) throw std::runtime_error(mode + " failed");
  return static_cast<double>(wall_now() - start) * 1e-9;
}

}  // namespace

int start_child(const Settings& settings, bool run) {
  if (!run) {
    const std::string library = settings.program + "/../lib/libpenstock_operators.so";
    return dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr ? 1 : 0;
  }
  auto pipeline = Pipeline::load(graph_of(settings));
  Run started = pipeline.start();
  const bool batch = started.next().kind == Next::Kind::kBatch;
  _Exit(batch ? 0 : 1);  // the time is to the first batch, not to the end
}

Result measure_start(const Settings& settings) {
  const int rounds = settings.rounds > 0 ? settings.rounds : 20;
  const std::string graph = graph_of(settings);
  std::vector<double> first, links;
  for (int i = 0; i < rounds + 1; ++i) {
    const double only = time_child(settings.program, "start-links", graph);
    const double batch = time_child(settings.program, "start-batch", graph);
    if (i == 0) continue;  // files come into the page cache
    links.push_back(only);
    first.push_back(batch);
  }
  Result result;
  result.value = median(first);
  result.unit = "s from the start of the process to the first batch";
  result.baseline = median(links);
  result.baseline_name = "a process that opens the same libraries";
  result.detail["above_baseline_s"] = median(first) - median(links);
  result.detail["first_batch_s"] = spread(first);
  result.detail["links_only_s"] = spread(links);
  return result;
}

}  // namespace penstock::bench
