#pragma once
/// What a verdict rests on, as JSON and back, so that changed rules can judge recorded runs again.

#include <nlohmann/json.hpp>

#include "diagnose/verdict.h"

namespace penstock::bench::attribution {

nlohmann::ordered_json to_json(const Evidence& evidence);
Evidence evidence_from(const nlohmann::ordered_json& json);

}  // namespace penstock::bench::attribution
