#include "report/empty_run.h"

#include <fmt/core.h>

#include "report/words.h"

namespace penstock {
namespace {

EmptyRun explain_node(const PlanNode& node, const UnitSnapshot& unit) {
  const std::string items = count_text(unit.items_in, "item", "items");
  if (node.kind == Kind::kSource) {
    return {fmt::format("{} '{}' produced no sample", node.op, node.id),
            "check what it reads, or the first epoch asked for"};
  }
  if (const auto* collate = dynamic_cast<const Collate*>(node.prototype.get())) {
    if (collate->drop_last() && unit.items_in >= collate->batch_size()) {
      return {fmt::format("{} '{}' got fewer items an epoch than the {} of a batch ({} in all) and "
                          "drops a short one (drop_last)",
                          node.op, node.id, collate->batch_size(), unit.items_in),
              fmt::format("lower nodes.{}.params.batch_size, or set drop_last: false", node.id)};
    }
    if (collate->drop_last()) {
      return {fmt::format("{} '{}' got {}, needs {} for a batch and drops a short one (drop_last)",
                          node.op, node.id, items, collate->batch_size()),
              fmt::format("set nodes.{}.params.batch_size to at most {}, or drop_last: false",
                          node.id, unit.items_in)};
    }
  }
  if (unit.filtered > 0) {
    return {fmt::format("{} '{}' filtered out {} of {}", node.op, node.id, unit.filtered, items),
            "loosen the filter"};
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
    return explain_node(node, unit);
  }
  return {"every item was dropped before it reached the consumer", ""};
}

}  // namespace penstock
