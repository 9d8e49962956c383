#pragma once
/// A validated pipeline: the only way to a Plan is make_plan(), and a Plan can run.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "penstock/diagnostic.h"
#include "penstock/operator.h"
#include "plan/graph_spec.h"
#include "plan/registry.h"

namespace penstock {

/// What happens to a sample whose body failed.
struct ErrorPolicy {
  bool skip = false;                   ///< false: the error goes to the consumer
  std::optional<uint64_t> max_count;   ///< skips allowed in an epoch
  std::optional<double> max_fraction;  ///< skips allowed as a part of an epoch's samples
};

struct PlanEdge {
  int from = -1;  ///< node index
  int to = -1;    ///< node index; the consumer is nodes.size()
  int port = 0;   ///< place among the in-edges of `to`
  uint64_t capacity = 1;
  uint64_t capacity_bytes = 0;  ///< 0: not bounded
};

struct PlanNode {
  std::string id, op;
  Kind kind = Kind::kMap;
  Where where = Where::kCpu;
  State state = State::kStateless;
  bool random = false, order_sensitive = false;
  bool may_drop = false;  ///< its body may drop samples, so that data decides how many come out
  std::vector<std::string> tallies;  ///< names of what its bodies count
  int concurrency = 1;
  Order order = Order::kPreserve;
  ErrorPolicy policy;
  uint64_t stream = 0;  ///< hash of the node's stream name
  Params params;
  OperatorFactory make;                 ///< objects for a run
  std::shared_ptr<Operator> prototype;  ///< the checked object; runs share it when kStateless
  FieldTable input_fields;              ///< what infer() was given
  FieldTable fields;                    ///< of its output
  /// Of a zip: for each in-edge, output index of each field of that input (-1: left out).
  std::vector<std::vector<int>> join;
  std::vector<int> in_edges, out_edges;
  uint32_t source_index = 0;                  ///< among the sources: Origin::source
  bool shuffle = false;                       ///< of a source
  int cycle = 4, chunk = 8;                   ///< of an Expand
  size_t output_pool = 0;                     ///< 0: not bounded
  std::shared_ptr<ItemMemory> output_memory;  ///< null: the engine's own
  int depth = 0;                              ///< longest path from a source
  Position at;
};

/// What is scheduled: one or several consecutive nodes that run back to back in one firing.
struct PlanUnit {
  std::vector<int> nodes;
};

class Plan {
 public:
  const std::string& name() const { return name_; }
  uint64_t seed() const { return seed_; }
  const std::vector<PlanNode>& nodes() const { return nodes_; }
  const std::vector<PlanEdge>& edges() const { return edges_; }
  const std::vector<PlanUnit>& units() const { return units_; }
  int consumer_edge() const { return consumer_edge_; }
  const ConsumerSpec& consumer() const { return spec_.consumer; }
  /// As written, for defaults that a run may override.
  const GraphSpec& spec() const { return spec_; }
  /// 16 hex digits over what determines the batches; the same for any concurrency and capacity.
  const std::string& fingerprint() const { return fingerprint_; }
  /// Batches an epoch gives the consumer, or nothing when data decides.
  std::optional<uint64_t> batches_per_epoch(uint32_t epoch) const;
  const std::vector<Diagnostic>& warnings() const { return warnings_; }

 private:
  friend class Planner;
  Plan() = default;
  std::string name_, fingerprint_;
  uint64_t seed_ = 0;
  std::vector<PlanNode> nodes_;
  std::vector<PlanEdge> edges_;
  std::vector<PlanUnit> units_;
  int consumer_edge_ = -1;
  GraphSpec spec_;
  std::vector<Diagnostic> warnings_;
};

/// Checks everything; on mistakes returns null and appends every one of them to `diagnostics`
/// (warnings too). The registry must outlive the plan's operators (libraries are never unloaded).
std::shared_ptr<const Plan> make_plan(const GraphSpec& spec, const Registry& registry,
                                      std::vector<Diagnostic>* diagnostics);

/// Records of an epoch; nothing where the source cannot tell (what it throws is dropped).
std::optional<uint64_t> records_of(const Source& source, uint32_t epoch);

}  // namespace penstock
