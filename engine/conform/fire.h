#pragma once
/// One firing of an operator on plain memory, without an engine.

#include <memory>
#include <vector>

#include "penstock/operator.h"
#include "plan/plan.h"

namespace penstock::conform {

/// Its output, none where the sample was dropped, or the first children of an expand. Inputs must
/// outlive the call. Throws what the body throws.
std::vector<Item> fire(Operator& op, const PlanNode& node, const std::vector<const Item*>& in,
                       const Origin& origin);

/// An object of the node's operator of its own.
std::unique_ptr<Operator> make_operator(const PlanNode& node);

}  // namespace penstock::conform
