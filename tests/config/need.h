#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config/load.h"

namespace penstock {

/// The value; ends the test case with the text of the mistakes when there is none.
inline GraphSpec need(std::optional<GraphSpec> spec, const std::vector<Diagnostic>& diagnostics) {
  if (!spec) throw std::runtime_error("nothing was loaded:\n" + format_text(diagnostics));
  return *std::move(spec);
}

/// What a resolved pipeline resolves to when it is loaded again.
inline std::string resolve_again(const std::string& text) {
  std::vector<Diagnostic> diagnostics;
  return resolved_yaml(need(load_text(text, "<string>", "", {}, &diagnostics), diagnostics));
}

}  // namespace penstock
