// Random graphs on the engine against the sequential reference: nothing lost, doubled or mispaired,
// errors where they belong, every clock adds up. PENSTOCK_GRAPHS sets how many (default 60, fewer
// under a sanitizer unless it is set), PENSTOCK_GRAPHS_SEED where to begin. One failing graph
// again: PENSTOCK_GRAPHS=1 PENSTOCK_GRAPHS_SEED=<its number>.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

#include "support/graph_run.h"

namespace penstock::testing {
namespace {

uint64_t from_environment(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

void try_graphs(const RandomGraphOptions& options, uint64_t part_of_count) {
  const uint64_t count = from_environment("PENSTOCK_GRAPHS", 60);
  const uint64_t first = from_environment("PENSTOCK_GRAPHS_SEED", 1);
  const bool shrink = from_environment("PENSTOCK_GRAPHS_SHRINK", 1) != 0;
  int failures = 0;
  for (uint64_t i = 0; i < (count + part_of_count - 1) / part_of_count && failures < 3; ++i) {
    const uint64_t seed = first + i;
    const GraphCase graph = random_graph(seed, options);
    for (const Mode& mode : all_modes(seed, 3)) {
      const std::string wrong = try_graph(graph, mode);
      if (wrong.empty()) continue;
      ++failures;
      const std::string text =
          "graph " + std::to_string(seed) + ", " + explain(graph, mode, wrong, shrink);
      FAIL_CHECK(text);
      break;
    }
  }
}

TEST_CASE("random graphs give what the reference says, under any schedule") { try_graphs({}, 1); }

TEST_CASE("small random graphs too") { try_graphs({.small = true}, 1); }

TEST_CASE("graphs that reorder keep the multiset of samples") { try_graphs({.any = true}, 3); }

}  // namespace
}  // namespace penstock::testing
