#pragma once
/// The conformance kit: does an operator keep its promises? Checks run in this process, on several
/// threads; whoever does not trust the operator calls them in a process of their own
/// (conform/isolated.h).

#include <string>
#include <vector>

#include "conform/finding.h"
#include "plan/registry.h"

namespace penstock::conform {

/// Runs every check on one operator, which must be in the registry. `set` overrides parameters of
/// the schema's example: "PARAM=VALUE". In a process of the thread sanitizer only those checks run
/// that it can judge.
void check_operator(const Registry& registry, const std::string& op,
                    const std::vector<std::string>& set, Listener& listener);

}  // namespace penstock::conform
