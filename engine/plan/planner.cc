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
    return std::make_shared<const Plan>(std::move(plan));
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
  sort_diagnostics(&found);
  std::erase_if(found, [&](const Diagnostic& mine) { return is_said(mine, *diagnostics); });
  diagnostics->insert(diagnostics->end(), found.begin(), found.end());
  if (draft.say.errors() > 0) return nullptr;
  return Planner::make(std::move(draft), std::move(found));
}

}  // namespace penstock
