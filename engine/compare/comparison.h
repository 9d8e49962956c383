#pragma once
/// Two pipelines side by side, from pairs of runs that followed each other. All pure.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/condition.h"
#include "compare/plan_diff.h"
#include "compare/statistics.h"
#include "penstock/report.h"

namespace penstock {

/// One figure of both sides: medians of the runs, and the ratio B / A of the pairs.
struct MetricPair {
  std::string name;  ///< as in --fail-if
  std::string unit;  ///< "", "ms", "bytes"
  double a = 0, b = 0;
  std::optional<RatioEstimate> ratio;
};

/// Medians of a node's figures; nothing on the side that lacks it.
struct NodeFigures {
  int slots = 1;
  double service_ms = 0;  ///< of a body
  /// Shares of slots x window.
  double on_cpu = 0, off_cpu = 0, ready = 0, held = 0, blocked = 0, starved = 0;
};
struct NodePair {
  std::string id;
  std::optional<NodeFigures> a, b;
};

struct EdgeFigures {
  uint64_t capacity = 1;
  double fill_mean = 0, empty = 0, full = 0;
  double bytes_max = 0;
};
struct EdgePair {
  std::string from, to;
  std::optional<EdgeFigures> a, b;
};

/// Whether both gave the same batches.
struct Outputs {
  uint64_t batches = 0;                      ///< that were compared, from the first on
  std::optional<uint64_t> first_difference;  ///< number of the first batch that differs, from 0
  bool equal() const { return batches > 0 && !first_difference; }
};

/// A condition and whether it was met.
struct ConditionResult {
  Condition condition;
  std::optional<double> value;  ///< the ratio; nothing: it is not known
  bool failed = false;
};

struct Comparison {
  std::string status = "complete";     ///< complete | interrupted | failed
  std::optional<FailureReport> error;  ///< of a failed one
  std::string name_a, name_b;          ///< what the sides are called
  PlanDiff difference;
  std::optional<Outputs> outputs;
  std::vector<Report> a, b;  ///< pair i: a[i] and b[i]
  std::vector<MetricPair> metrics;
  std::vector<NodePair> nodes;
  std::vector<EdgePair> edges;
  /// The share of waiting fell, and the throughput did not rise: it would mislead.
  bool wait_misleads = false;
  std::vector<ConditionResult> conditions;
};

/// Names that --fail-if may use.
std::vector<std::string> metric_names();

/// Compares digests of the runs' first batches, each over all batches so far.
Outputs compare_outputs(std::span<const std::string> a, std::span<const std::string> b);

/// A metric by name; it must be there.
const MetricPair& metric_of(const Comparison& comparison, const std::string& name);

/// The run whose ex/s is in the middle of its side's; nothing without runs.
const Report* typical(const std::vector<Report>& runs);

/// Fills in metrics, nodes, edges, conditions and `wait_misleads` from the pairs of reports.
void conclude(const std::vector<Condition>& conditions, Comparison* comparison);

}  // namespace penstock
