#pragma once
/// All pipelines of a file together. Pure.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attribution/score.h"

namespace penstock::bench::attribution {

/// A verdict is confident from here on: only where the critical path does not contradict it.
inline constexpr double kConfident = 0.8;

/// Counts, accuracies, regrets and gains: overall, by class, and of each baseline.
nlohmann::ordered_json summary_of(const std::vector<Score>& scores);

/// As tables for the docs.
std::string markdown_of(const nlohmann::ordered_json& summary);

}  // namespace penstock::bench::attribution
