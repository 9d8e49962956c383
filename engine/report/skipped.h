#pragma once
/// Samples that `on_error: skip` left out of several runs, in words.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "penstock/report.h"

namespace penstock {

/// By the id of the node that skipped them.
using SkippedByNode = std::map<std::string, uint64_t>;

void add_skipped(const Report& run, SkippedByNode* skipped);
SkippedByNode skipped_in(const std::vector<Report>& runs);
uint64_t count_of(const SkippedByNode& skipped);
/// "12 (8 in decode, 4 in read)"; "0".
std::string skipped_text(const SkippedByNode& skipped);

/// What they do to the figures.
inline constexpr const char* kSkippedMeaning =
    "They took time and are in no rate, so runs that skip differently did different work.";

}  // namespace penstock
