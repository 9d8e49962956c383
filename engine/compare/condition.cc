#include "compare/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "compare/bad_request.h"
#include "penstock/diagnostic.h"

namespace penstock {
namespace {

constexpr const char* kExample = "a condition is METRIC < NUMBER (or <=, >, >=), as 'ex/s < 0.95'";

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

}  // namespace

bool Condition::holds(double ratio) const {
  if (op == "<") return ratio < limit;
  if (op == "<=") return ratio <= limit;
  return op == ">" ? ratio > limit : ratio >= limit;
}

Condition parse_condition(const std::string& text, const std::vector<std::string>& metrics) {
  const size_t at = text.find_first_of("<>");
  if (at == std::string::npos) {
    throw BadRequest(fmt::format("--fail-if '{}': there is no comparison in it", text), kExample);
  }
  const size_t length = text.substr(at + 1).starts_with('=') ? 2 : 1;
  Condition condition{
      .metric = trimmed(text.substr(0, at)), .op = text.substr(at, length), .text = text};
  const std::string number = trimmed(text.substr(at + length));
  const auto [end, error] =
      std::from_chars(number.data(), number.data() + number.size(), condition.limit);
  if (error != std::errc() || end != number.data() + number.size() ||
      !std::isfinite(condition.limit)) {
    throw BadRequest(fmt::format("--fail-if '{}': '{}' is no number", text, number), kExample);
  }
  if (std::find(metrics.begin(), metrics.end(), condition.metric) == metrics.end()) {
    const std::string near = did_you_mean(condition.metric, metrics);
    throw BadRequest(
        fmt::format("--fail-if '{}': there is no metric '{}'", text, condition.metric),
        (near.empty() ? "" : fmt::format("did you mean '{}'? ", near)) +
            fmt::format("The metrics, each as B / A, are {}", fmt::join(metrics, ", ")));
  }
  return condition;
}

}  // namespace penstock
