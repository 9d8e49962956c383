#pragma once
/// A pipeline with known costs and a planted limit, as plain values. Everything else of the suite
/// works on these.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace penstock::bench::attribution {

/// How a cost varies from body to body around its mean.
struct Spread {
  std::string shape = "constant";  ///< constant | lognormal | bimodal | bursty | heavy
  double cv = 0;                   ///< of lognormal
  bool by_sample = false;          ///< the same samples are slow in every node (large files)
};

enum class Role : uint8_t { kSource, kMap, kFilter, kExpand, kCollate, kZip, kMerge };
std::string name_of(Role role);

struct NodeCase {
  std::string id;
  Role role = Role::kMap;
  std::vector<size_t> from;  ///< indices of nodes
  int slots = 1;
  bool io = false;  ///< its bodies run on the I/O threads
  bool any = false;
  int capacity = 4;  ///< of each edge into it
  /// Mean of a body; of an expand: for one child.
  double cpu_ms = 0, off_ms = 0;
  Spread spread;
  int batch = 1;     ///< of a collate
  int children = 1;  ///< of an expand
  double keep = 1;   ///< of a filter
  bool in_branch = false;

  double service_ms() const { return cpu_ms + off_ms; }
};

struct ConsumerCase {
  double cpu_ms = 0, off_ms = 0;
  Spread spread;
  int capacity = 2;
  double service_ms() const { return cpu_ms + off_ms; }
};

struct PipelineCase {
  uint64_t seed = 0;
  std::string planted;                ///< class of the limit
  std::vector<std::string> limiters;  ///< ids of nodes, "consumer", "cpu", "threads"
  double margin = 1;                  ///< to the runner-up
  double period_ms = 1;               ///< of a batch, by the planted limit
  int threads = 1, cpus = 1;
  std::vector<NodeCase> nodes;
  ConsumerCase consumer;
};

/// Bodies of each node for one batch (of an expand: children).
std::vector<double> calls_per_batch(const PipelineCase& pipeline);

nlohmann::ordered_json to_json(const PipelineCase& pipeline);

}  // namespace penstock::bench::attribution
