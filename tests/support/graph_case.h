#pragma once
/// A small pipeline as plain data: what the random generator draws, what the reference evaluates
/// and what the operators of graph_ops.h do. The functions below are the "user code" of those
/// pipelines; they depend on the sample alone, so that a result tells which samples went which way.

#include <cstdint>
#include <string>
#include <vector>

#include "penstock/item.h"
#include "plan/graph_spec.h"

namespace penstock::testing {

enum class Step : uint8_t {
  kSource,
  kMap,
  kFilter,
  kState,  ///< a serial map whose output depends on all before it in its epoch
  kTake,
  kCollate,
  kZip,
  kMerge,
  kExpand,
  kSink,
};
const char* name_of(Step step);

enum class OnFail : uint8_t { kFail, kSkip, kMaxCount };

struct CaseNode {
  Step step = Step::kMap;
  std::vector<int> from;  ///< earlier nodes
  int concurrency = 1;
  bool any = false;        ///< order: any
  bool blocking = false;   ///< runs on the I/O threads
  bool per_slot = false;   ///< of a map: one object a slot
  int capacity = 8;        ///< of each in-edge
  int capacity_bytes = 0;  ///< of each in-edge; 0: no bound
  std::vector<int> sizes;  ///< of a source: items in epoch e are sizes[e % size]
  int fail = 0;            ///< permille of bodies that throw
  OnFail on_fail = OnFail::kSkip;
  int max_count = 0;         ///< of OnFail::kMaxCount
  int drop = 0;              ///< permille that a filter drops
  int batch = 1;             ///< of a collate
  bool drop_last = false;    ///< of a collate
  int limit = 1;             ///< of a take
  int cycle = 1, chunk = 1;  ///< of an expand
  int pool = 0;              ///< outputs that may exist at a time; 0: any number
};

/// How a consumer that stops early does it.
enum class Stop : uint8_t {
  kBatches,  ///< `batches` next to `epochs`: Sinks still get everything
  kEndless,  ///< `batches` alone: the sources go on without end
  kCall,     ///< Run::stop()
};

struct GraphCase {
  uint64_t seed = 1;
  uint32_t epochs = 3;
  std::vector<CaseNode> nodes;  ///< in topological order
  int consumer = 0;             ///< the node that the consumer reads
  int consumer_capacity = 8;
  int consumer_bytes = 0;
  int64_t stop_after = -1;  ///< batches; -1: reads to the end
  Stop stop = Stop::kBatches;
  uint64_t memory_bytes = 0;  ///< 0: no budget
  bool any = false;           ///< some node reorders: compare multisets
};

/// Id of a node in the plan: "map3".
std::string id_of(const GraphCase& graph, int node);
/// The pipeline for make_plan(), for the operators of graph_ops.h.
GraphSpec to_spec(const GraphCase& graph);
/// One line a node: what a failing test prints.
std::string describe(const GraphCase& graph);
/// Out-edges of every node, the consumer's included.
std::vector<int> fan_out(const GraphCase& graph);
/// Items that may be alive at a time: capacities + K x max(inputs, outputs of a firing) + cycles.
int64_t item_bound(const GraphCase& graph);

uint64_t scramble(uint64_t a, uint64_t b);
/// Identity of a sample: epoch, position and child path.
uint64_t key_of(const Origin& origin);
/// The origin of child `index` of `parent`.
Origin child_of(const Origin& parent, uint32_t index);
bool body_fails(const GraphCase& graph, int node, uint64_t key);
bool body_drops(const GraphCase& graph, int node, uint64_t key);
int64_t source_value(int node, uint64_t key);
int64_t map_value(int node, int64_t value);
int64_t zip_value(int64_t left, int64_t right);
int64_t state_value(int64_t state, int64_t value);
int child_count(const GraphCase& graph, int node, uint64_t parent_key);
int64_t child_value(int64_t parent, uint64_t child_key);
/// Bytes of the padding field that goes with the values: a few, sometimes many.
int pad_bytes(const std::vector<int64_t>& values);

}  // namespace penstock::testing
