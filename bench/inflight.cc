// Items and bytes in flight against the bounds that the plan promises.

#include <algorithm>

#include "measurement.h"
#include "support/graph_run.h"

namespace penstock::bench {

Result measure_inflight(const Settings& settings) {
  const int rounds = settings.rounds > 0 ? settings.rounds : 300;
  Result result;
  double worst = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto graph = testing::random_graph(static_cast<uint64_t>(i) + 500000);
    testing::World world(graph);
    const auto plan = world.plan();
    if (plan == nullptr) continue;
    world.jitter = static_cast<uint64_t>(i) + 1;
    RunOptions options;
    options.threads = 1 + i % 4;
    const testing::Outcome outcome = testing::run_case(&world, plan, options);
    for (const EdgeSnapshot& edge : outcome.snapshot.edges) {
      result.ok = result.ok && edge.fill_max <= edge.capacity;
    }
    for (const std::string& trouble : outcome.troubles) {
      result.ok = false;
      result.detail["trouble"] = "graph " + std::to_string(i + 500000) + ": " + trouble;
    }
    worst = std::max(worst, static_cast<double>(world.tokens.live_max()) /
                                static_cast<double>(testing::item_bound(graph)));
  }
  result.value = worst;
  result.unit = "items in flight as a part of the bound (the worst)";
  result.baseline = 1.0;
  result.baseline_name = "capacities + slots x items of a firing + open streams";
  // A batch is alive next to its group while a collate's body runs, and in the consumer's hands.
  result.ok = result.ok && worst <= 1.5;
  result.detail["graphs"] = rounds;
  return result;
}

}  // namespace penstock::bench
