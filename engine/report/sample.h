#pragma once
/// `check --sample N`: a few samples taken through a plan on the calling thread, to show what every
/// node makes. No engine, no clocks.

#include <cstdint>
#include <string>
#include <vector>

#include "penstock/item.h"
#include "plan/plan.h"

namespace penstock {

/// What one field looked like behind a node: the different descriptions in order of appearance.
struct FieldSample {
  std::string name;
  std::vector<std::string> forms;  ///< "uint8 [480, 640, 3] HWC", "text", "8 texts"
};

/// What came out of one node.
struct NodeSample {
  std::string id, op;
  uint64_t items = 0, dropped = 0;
  std::vector<FieldSample> fields;
  std::vector<ErrorInfo> errors;    ///< of its bodies, one a sample
  std::vector<std::string> untrue;  ///< where an item is not what infer() declared; no text twice
};

/// Produces `count` samples (or as many as there are) at the first positions of each source's first
/// epoch and takes them through all nodes in the plan's order. Random operators draw what they draw
/// in a run. An expand gives at most `count` children a parent; a collate's last group may be
/// short, whatever its drop_last says. A sample whose body throws ends there. Uses the plan's
/// prototypes: not while another thread runs the plan.
std::vector<NodeSample> sample_plan(const Plan& plan, uint64_t count);

/// True where a body failed, or made something else than was declared.
bool has_errors(const std::vector<NodeSample>& samples);
/// A paragraph a node: its items and one line a field.
std::string format_text(const std::vector<NodeSample>& samples);
/// {"nodes": [{"id", "op", "items", "dropped", "fields": {name: [forms]}, "errors": [text],
/// "untrue": [text]}]}
std::string format_json(const std::vector<NodeSample>& samples);

}  // namespace penstock
