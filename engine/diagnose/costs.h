#pragma once
/// What a batch costs where: the figures on which every statement about limits and gains rests.
/// Times in milliseconds. All pure.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/snapshot.h"

namespace penstock {

/// A unit as planned.
struct UnitFacts {
  std::string id, op;
  int slots = 1;
  bool pooled = true;     ///< its bodies run on the CPU threads; false: each slot has a thread
  bool serial = false;    ///< never more than one slot
  bool ordered = true;    ///< results leave in the order of their inputs
  bool in_turns = false;  ///< its open streams have their turns: `order: any` changes little
  int places = 0;  ///< its outputs that can exist at a time, up to the consumer's; 0: no bound
  std::string places_key;                ///< the setting that says so; empty: none
  std::vector<int> in_edges, out_edges;  ///< indices of GraphFacts::edges
};

struct EdgeFacts {
  int from = 0;
  int to = 0;  ///< the consumer is GraphFacts::units.size()
  uint64_t capacity = 1;
};

/// A plan's graph, without what only the engine needs.
struct GraphFacts {
  std::vector<UnitFacts> units;
  std::vector<EdgeFacts> edges;
  std::string consumer_key;  ///< setting of its step, "consumer.spin"; empty: not Penstock's
  double consumer_target_ms = 0;
};

/// Indices of the units without in-edges.
std::vector<size_t> sources_of(const GraphFacts& graph);

/// What the run may use.
struct MachineFacts {
  double cpus = 1;      ///< affinity or quota, whichever is less
  int threads = 1;      ///< CPU threads of the engine
  bool serial = false;  ///< `workers: 0`: one thread does everything, in turn
};

/// A unit with the cost of its firings.
struct NodeCosts {
  UnitFacts facts;
  double visits = 0;     ///< firings for one batch
  double cpu_ms = 0;     ///< on a CPU, a firing
  double off_ms = 0;     ///< in the body but waiting for something else than a CPU
  double queued_ms = 0;  ///< in the body and waiting for a CPU
  double copy_ms = 0;    ///< of a copy to a device, by the device's clock; 0: it makes none
  double copied_mb = 0;  ///< by a copy
  double thread_wait_ms = 0, handover_ms = 0, held_ms = 0, blocked_ms = 0, starved_ms = 0;
  double taken = 1, given = 1;  ///< entries a firing takes from each in-edge, puts on each out-edge
  double latency_ms = 0;  ///< lost in a slot at each firing, for no CPU's sake: see latencies.h
  std::vector<double> spread;  ///< quantiles of its service, as parts of the mean
  std::vector<double> trace;   ///< consecutive services, as parts of the mean; empty: not known
  /// What the firings of `trace` take and put, where that changes from one to the next; else empty.
  std::vector<uint32_t> takes, gives;

  /// Time of a body on an idle machine, without what it waits for a device.
  double service_ms() const { return cpu_ms + off_ms; }
  double cpu_per_batch() const { return visits * cpu_ms; }
};

/// The consumer's own work, for one batch.
struct ConsumerCosts {
  double cpu_ms = 0, off_ms = 0, queued_ms = 0;
  double wait_ms = 0;
  double latency_ms = 0;               ///< as a node's
  std::optional<double> reference_ms;  ///< of the same work with nothing else going on
  std::string key;                     ///< as GraphFacts::consumer_key
  double target_ms = 0;
  std::vector<double> spread, trace;  ///< of its work, as a node's

  double service_ms() const { return cpu_ms + off_ms; }
  double work_ms() const { return cpu_ms + off_ms + queued_ms; }
};

struct Costs {
  std::vector<NodeCosts> nodes;
  std::vector<EdgeFacts> edges;
  ConsumerCosts consumer;
  double engine_ms = 0;  ///< CPU of a batch that is neither in a body nor the consumer's work
  double cpus = 1;       ///< less what other programs and the host took
  double cpus_allowed = 1;
  int threads = 1;
  bool serial = false;
  double batches_per_s = 0, examples_per_batch = 1;
  uint64_t batches = 0;

  double cpu_per_batch() const;
  const NodeCosts* find(const std::string& id) const;
};

/// The costs in the window end - begin of one run of `graph`. CPU that other programs, the host of
/// a virtual machine and a quota took is taken off the machine's where the states tell it.
Costs costs_of(const GraphFacts& graph, const MachineFacts& machine, const Snapshot& begin,
               const Snapshot& end, std::optional<double> reference_ms = std::nullopt);

/// The same work in another setting: slots, capacities, order and threads are those of `graph` and
/// `machine`, costs those of `costs` by the units' ids. Units that it lacks cost nothing.
Costs with_setting(const Costs& costs, const GraphFacts& graph, const MachineFacts& machine);

}  // namespace penstock
