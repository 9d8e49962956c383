#pragma once
/// A comparison as a table of rates and shares of waiting.

#include <string>
#include <utility>
#include <vector>

#include "compare/comparison.h"

namespace penstock::testing {

struct SideRow {
  double examples_per_s = 0, wait_fraction = 0;
};

inline std::vector<Report> reports_of(const std::vector<SideRow>& rows, const std::string& second) {
  std::vector<Report> reports;
  for (const SideRow& row : rows) {
    Report report;
    report.examples_per_s = row.examples_per_s;
    report.wait_fraction = row.wait_fraction;
    report.wait_ms = {100, 10 * row.wait_fraction, 9, 12, 20};
    report.work_ms = {100, 10 * (1 - row.wait_fraction), 1, 2, 3};
    report.batches = 100;
    report.process_cpu_s = 0.5;
    report.bytes_in_flight_max = 2048;
    report.first_batch_ms = 30;
    report.nodes.resize(2);
    report.nodes[0].id = "read";
    report.nodes[0].concurrency = 2;
    report.nodes[0].share.on_cpu = 0.8;
    report.nodes[0].share.starved = 0.2;
    report.nodes[1].id = second;
    report.edges.resize(1);
    report.edges[0].from = "read";
    report.edges[0].to = second;
    report.edges[0].capacity = 8;
    report.edges[0].fill_mean = 4;
    reports.push_back(std::move(report));
  }
  return reports;
}

/// Pairs of runs of two pipelines: read -> decode, read -> split. Concluded.
inline Comparison comparison_of(const std::vector<SideRow>& a, const std::vector<SideRow>& b) {
  Comparison comparison;
  comparison.name_a = "a.yaml";
  comparison.name_b = "b.yaml";
  comparison.a = reports_of(a, "decode");
  comparison.b = reports_of(b, "split");
  conclude({}, &comparison);
  return comparison;
}

}  // namespace penstock::testing
