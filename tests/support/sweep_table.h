#pragma once
/// A sweep as a table of rates.

#include <string>
#include <utility>
#include <vector>

#include "compare/sweep.h"

namespace penstock::testing {

/// One serial run, and one run for each value of nodes.decode.concurrency.
inline Sweep sweep_of(std::vector<std::string> slots, double serial,
                      const std::vector<double>& rates) {
  Sweep sweep;
  sweep.pipeline = "photos";
  sweep.seconds = 3;
  sweep.keys = {{"nodes.decode.concurrency", std::move(slots)}};
  for (SweepRow& row : sweep_rows(sweep.keys)) {
    Report report;
    report.examples_per_s = row.serial ? serial : rates[sweep.runs.size() - 1];
    sweep.runs.push_back({std::move(row), {}, std::move(report)});
  }
  return sweep;
}

}  // namespace penstock::testing
