#include <algorithm>
#include <utility>

#include "plan/draft.h"

namespace penstock {

/// The only maker of plans.
class Planner {
 public:
  static std::shared_ptr<const Plan> make(Draft draft, std::vector<Diagnostic> warnings) {
    Plan plan;
    plan.name_ = draft.spec.name;
    plan.seed_ = draft.spec.seed;
    plan.fingerprint_ = fingerprint_of(draft);
    plan.consumer_edge_ = draft.consumer_edge;
    plan.spec_ = draft.spec;
    plan.warnings_ = std::move(warnings);
    for (int i = 0; i < draft.node_count(); ++i) plan.units_.push_back({.nodes = {i}});
    plan.nodes_ = std::move(draft.nodes);
    plan.edges_ = std::move(draft.edges);
    if (plan.batches_per_epoch(0) == 0) plan.warnings_.push_back(no_batch(plan));
    return std::make_shared<const Plan>(std::move(plan));
  }

 private:
  static Diagnostic no_batch(const Plan& plan) {
    const PlanEdge& last = plan.edges_[static_cast<size_t>(plan.consumer_edge_)];
    const PlanNode& node = plan.nodes_[static_cast<size_t>(last.from)];
    Diagnostic warning;
    warning.severity = Diagnostic::Severity::kWarning;
    warning.code = "no-batch";
    warning.message = "an epoch gives no batch";
    for (const NodeSpec& spec : plan.spec_.nodes) {
      if (spec.id != node.id) continue;
      warning.at = spec.op_at;
      warning.source_line = spec.op_line;
    }
    if (const auto* collate = dynamic_cast<const Collate*>(node.prototype.get())) {
      warning.help = "it gathers " + std::to_string(collate->batch_size()) +
                     " samples for one: lower batch_size, or set drop_last: false";
    }
    return warning;
  }
};

namespace {

// A stray key of a node reaches the plan as a parameter, in case it is one: if it is not, the
// configuration room has already said so.
bool is_said(const Diagnostic& mine, const std::vector<Diagnostic>& before) {
  return mine.code == "unknown-param" &&
         std::any_of(before.begin(), before.end(), [&](const Diagnostic& other) {
           return other.code == "unknown-key" && other.at == mine.at;
         });
}

}  // namespace

std::shared_ptr<const Plan> make_plan(const GraphSpec& spec, const Registry& registry,
                                      std::vector<Diagnostic>* diagnostics) {
  std::vector<Diagnostic> found;
  Draft draft{.spec = spec, .registry = registry, .say = Complaints(&found)};
  resolve_nodes(&draft);
  link_nodes(&draft);
  infer_fields(&draft);
  check_joins(&draft);
  check_streams(&draft);
  size_queues(&draft);
  size_memories(&draft);
  sort_diagnostics(&found);
  std::erase_if(found, [&](const Diagnostic& mine) { return is_said(mine, *diagnostics); });
  if (draft.say.errors() > 0) {
    diagnostics->insert(diagnostics->end(), found.begin(), found.end());
    return nullptr;
  }
  auto plan = Planner::make(std::move(draft), std::move(found));
  diagnostics->insert(diagnostics->end(), plan->warnings().begin(), plan->warnings().end());
  return plan;
}

}  // namespace penstock
