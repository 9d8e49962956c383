// penstock_bench attribution: measures pipelines with planted limits, or sums up what was measured.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

#include "attribution/explain.h"
#include "attribution/suite.h"
#include "attribution/summary.h"
#include "measurement.h"
#include "penstock/spin.h"

namespace penstock::bench::attribution {

int command(int argc, char** argv) {
  CLI::App app("How often the verdict is right, on pipelines with planted limits.");
  std::string seeds, out, summary, format = "markdown";
  bool again = false;
  std::vector<uint64_t> explained;
  app.add_option("--seeds", seeds, "1..40 or 3,7,12: measure these");
  app.add_option("--out", out, "file of one JSON line for each pipeline; continued where it is");
  app.add_option("--summary", summary, "sum up such a file");
  app.add_option("--format", format, "markdown or json")
      ->check(CLI::IsMember({"markdown", "json"}));
  app.add_flag("--judge-again", again, "with the present rules, from the recorded costs");
  app.add_option("--explain", explained, "of a summed up file: seeds to show in detail");
  try {
    app.parse(argc, argv);
    if (seeds.empty() == summary.empty() || seeds.empty() != out.empty()) {
      throw CLI::ValidationError("give --seeds with --out, or --summary");
    }
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (!seeds.empty()) {
    spin_iterations_per_ms();  // once, and the same in every child
    measure_all(seeds_from(seeds), out);
    return 0;
  }
  std::vector<Score> scores;
  for (const auto& recorded : read_lines(summary)) {
    const auto line = again ? judged_again(recorded) : recorded;
    scores.push_back(score_of(line));
    if (std::count(explained.begin(), explained.end(), scores.back().seed) > 0) {
      std::cout << explain(line) << "\n";
    }
  }
  if (!explained.empty()) return 0;
  auto result = summary_of(scores);
  if (format == "json") {
    result["machine"] = machine();
    std::cout << result.dump(2) << "\n";
  } else {
    std::cout << markdown_of(result);
  }
  return 0;
}

}  // namespace penstock::bench::attribution
