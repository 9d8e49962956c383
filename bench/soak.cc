// Random graphs on the engine against the sequential reference: none may differ.

#include <iostream>

#include "measurement.h"
#include "support/graph_run.h"

namespace penstock::bench {

Result measure_soak(const Settings& settings) {
  const int graphs = settings.rounds > 0 ? settings.rounds : 2000;
  Result result;
  int64_t runs = 0, errors = 0, stopped = 0, failures = 0;
  for (int i = 0; i < graphs; ++i) {
    const uint64_t seed = static_cast<uint64_t>(i) + 1;
    const testing::GraphCase graph = testing::random_graph(seed, {.any = i % 6 == 5});
    const testing::Expected expected = testing::evaluate(graph);
    errors += expected.error.has_value();
    stopped += expected.stopped;
    for (const testing::Mode& mode : testing::all_modes(seed, 2)) {
      ++runs;
      const std::string wrong = testing::try_graph(graph, mode);
      if (wrong.empty()) continue;
      ++failures;
      const std::string text = testing::explain(graph, mode, wrong, false);
      std::cerr << "graph " << seed << ", " << text;
      result.detail["failures"].push_back(text);
    }
    if (i % 100 == 99) std::cerr << i + 1 << " graphs, " << failures << " failures\n";
  }
  result.value = static_cast<double>(failures);
  result.unit = "runs that differ from the reference";
  result.ok = failures == 0;
  result.detail["graphs"] = graphs;
  result.detail["runs"] = runs;
  result.detail["graphs_with_an_error"] = errors;
  result.detail["graphs_stopped_early"] = stopped;
  return result;
}

}  // namespace penstock::bench
