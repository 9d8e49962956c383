#pragma once
/// `--fail-if 'ex/s < 0.95'`: a comparison that a tool may fail on. Pure.

#include <optional>
#include <string>
#include <vector>

namespace penstock {

struct Condition {
  std::string metric;
  std::string op;  ///< < <= > >=
  double limit = 0;
  std::string text;  ///< as written

  bool holds(double ratio) const;
};

/// METRIC OP NUMBER, with or without spaces. Throws BadRequest, for a metric that is not among
/// `metrics` with the nearest one and the list.
Condition parse_condition(const std::string& text, const std::vector<std::string>& metrics);

}  // namespace penstock
