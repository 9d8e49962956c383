#include "report/empty_run.h"

#include <fmt/core.h>

#include "report/words.h"

namespace penstock {
namespace {

/// ": read has 22, other has 5" for the first epoch.
std::string source_sizes(const Plan& plan) {
  std::string text;
  for (const PlanNode& node : plan.nodes()) {
    if (const auto* source = dynamic_cast<const Source*>(node.prototype.get())) {
      const std::optional<uint64_t> records = records_of(*source, 0);
      if (!records) continue;
      text += fmt::format("{}{} has {}", text.empty() ? ": " : ", ", node.id, *records);
    }
  }
  return text;
}

EmptyRun explain_node(const Plan& plan, const PlanNode& node, const UnitSnapshot& unit) {
  const std::string items = count_text(unit.items_in, "item", "items");
  if (node.kind == Kind::kSource) {
    return {fmt::format("{} '{}' produced no sample", node.op, node.id),
            "check what it reads, or the first epoch asked for"};
  }
  if (const auto* collate = dynamic_cast<const Collate*>(node.prototype.get())) {
    if (collate->drop_last()) {
      return {fmt::format("{} '{}' needs {} samples for a batch and drops a short one (drop_last), "
                          "and an epoch brings fewer{}",
                          node.op, node.id, collate->batch_size(), source_sizes(plan)),
              fmt::format("lower nodes.{}.params.batch_size, or set drop_last: false", node.id)};
    }
  }
  if (unit.filtered > 0) {
    const std::string dropped =
        node.kind == Kind::kMap ? fmt::format("{} of {}", unit.filtered, items)
                                : fmt::format("all {} that it made of {}", unit.filtered, items);
    return {fmt::format("{} '{}' filtered out {}", node.op, node.id, dropped), "loosen the filter"};
  }
  if (unit.skipped > 0) {
    return {fmt::format("{} '{}' skipped {} of {} because of errors (on_error: skip)", node.op,
                        node.id, unit.skipped, items),
            "run with on_error: fail to see the first error"};
  }
  return {fmt::format("{} '{}' took {} and gave none", node.op, node.id, items), ""};
}

}  // namespace

EmptyRun explain_empty_run(const Plan& plan, const Snapshot& end) {
  for (size_t u = 0; u < plan.units().size() && u < end.units.size(); ++u) {
    const PlanNode& node = plan.nodes()[static_cast<size_t>(plan.units()[u].nodes.back())];
    const UnitSnapshot& unit = end.units[u];
    if (node.kind == Kind::kSink || unit.items_out > 0) continue;
    return explain_node(plan, node, unit);
  }
  return {"every item was dropped before it reached the consumer", ""};
}

}  // namespace penstock
