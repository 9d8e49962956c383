#pragma once
/// What differs between two pipelines, before either of them runs. Pure.

#include <string>
#include <vector>

#include "plan/plan.h"

namespace penstock {

/// A value on both sides, as text.
struct ValueChange {
  std::string what;  ///< "params.size", "concurrency", "seed", "consumer.spin"
  std::string a, b;
};

struct NodeChange {
  std::string id;
  std::vector<ValueChange> values;
};

/// A node at another place: whom it follows on either side.
struct NodeMove {
  std::string id;
  std::vector<std::string> after_a, after_b;
};

struct EdgeChange {
  std::string from, to;
  std::string a, b;  ///< "8 items", "8 items, 2 MiB"
};

struct EdgeName {
  std::string from, to;
};

struct PlanDiff {
  std::vector<std::pair<std::string, std::string>> removed, added;  ///< id, operator
  std::vector<NodeMove> moved;
  std::vector<NodeChange> changed;    ///< nodes that are in both
  std::vector<EdgeChange> resized;    ///< edges that are in both
  std::vector<EdgeName> cut, drawn;   ///< edges of A only, of B only, between nodes of both that
                                      ///< keep their place
  std::vector<ValueChange> settings;  ///< of the pipeline as a whole
  bool same_batches = true;           ///< by the plans' fingerprints

  bool empty() const {
    return removed.empty() && added.empty() && moved.empty() && changed.empty() &&
           resized.empty() && cut.empty() && drawn.empty() && settings.empty();
  }
};

/// Nodes are the same when their ids are. Parameters are compared as the operators get them, with
/// defaults filled in, so that what is only written otherwise is no difference. A node has moved
/// when it is not in a longest common order of the nodes that both have; nodes and edges that come
/// or go between others move nothing.
PlanDiff diff(const Plan& a, const Plan& b);

}  // namespace penstock
