#pragma once
/// Is a schema complete enough to make every page and check from it?

#include <string>
#include <vector>

#include "plan/plan.h"

namespace penstock::conform {

/// What is missing or contradicts itself; empty: nothing. `node` is the operator as the plan has
/// it, for the fields that it adds; null where no plan could be made. `written`: fields that bodies
/// write.
std::vector<std::string> faults_of(const Schema& schema, const PlanNode* node,
                                   const std::vector<std::string>& written);

}  // namespace penstock::conform
