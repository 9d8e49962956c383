// Wall time of whole epochs of quickstart on one CPU thread, pulled as fast as they come: what
// bench/clocks.sh compares between builds with and without clocks.

#include "measurement.h"
#include "penstock/pipeline.h"

namespace penstock::bench {
namespace {

double seconds_of(const Pipeline& pipeline, uint32_t epochs) {
  Engine engine({.threads = 1});
  StartOptions options;
  options.epochs = epochs;
  options.engine = &engine;
  const int64_t begin = wall_now();
  Run run = pipeline.start(options);
  while (run.next().kind != Next::Kind::kEnd) {
  }
  return static_cast<double>(wall_now() - begin) * 1e-9;
}

}  // namespace

Result measure_pull(const Settings& settings) {
  const int rounds = settings.rounds > 0 ? settings.rounds : 3;
  const std::string graph = graph_of(settings);
  const Pipeline pipeline = Pipeline::load(graph);
  const uint32_t epochs = 30;
  seconds_of(pipeline, 2);
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) seconds.push_back(seconds_of(pipeline, epochs));
  Result result;
  result.value = median(seconds);
  result.unit = "s for 30 epochs of quickstart on one thread";
  result.detail["seconds"] = spread(seconds);
  return result;
}

}  // namespace penstock::bench
