#pragma once
/// The pipeline's tree -> GraphSpec.

#include <optional>
#include <vector>

#include "config/document.h"
#include "plan/graph_spec.h"

namespace penstock::config {

struct Extracted {
  GraphSpec spec;
  bool readable = true;  ///< every node has an id, an operator and in-edges that could be read
};

/// Reads every key, noting all mistakes.
Extracted extract(const Document& document, std::vector<Diagnostic>* diagnostics);

}  // namespace penstock::config
