#pragma once
/// One pipeline in detail: what the engine's model says of each change beside what was measured.

#include <nlohmann/json.hpp>
#include <string>

#include "attribution/change.h"
#include "diagnose/costs.h"

namespace penstock::bench::attribution {

/// Measured costs, changed as the pipeline is.
Costs with(const Costs& costs, const Change& change);

/// The recorded costs, and for each change the gain by bounds, by the model, and as measured.
std::string explain(const nlohmann::ordered_json& line);

}  // namespace penstock::bench::attribution
