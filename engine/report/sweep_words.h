#pragma once
/// How the rows of a sweep are named, wherever they appear.

#include <cstddef>
#include <string>
#include <vector>

#include "compare/sweep.h"

namespace penstock::sweep_words {

inline constexpr size_t kKeyWidth = 24;

/// "decode.concurrency" of "nodes.decode.concurrency".
std::string short_key(const std::string& key);

/// The varied values of a run; a serial one has none of the settings.
std::vector<std::string> values_of(const SweepRun& run);

/// "4", "2ms, 4", "serial".
std::string label_of(const SweepRun& run);

/// "spin.time=2ms: ": what is the same in all runs of the curve; empty with one key.
std::string fixed_text(const Sweep& sweep, const Curve& curve);

/// The setting of the curve's run at `index`.
std::string value_at(const Sweep& sweep, const Curve& curve, size_t index);

}  // namespace penstock::sweep_words
