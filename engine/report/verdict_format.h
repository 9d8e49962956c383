#pragma once
/// A verdict as text and as JSON.

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "penstock/verdict.h"

namespace penstock::verdict_format {

/// Lines of at most 100 columns: the limit, why, what would help, how sure that is.
std::string text(const Verdict& verdict);
/// "decode", "CPU saturated by decode, consumer": what limits, in a few words.
std::string headline(const Verdict& verdict);
/// What would help by how much, and what limits then; empty without a gain.
std::string gain_text(const Verdict& verdict);
nlohmann::ordered_json json_of(const Verdict& verdict);

}  // namespace penstock::verdict_format
