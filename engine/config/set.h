#pragma once
/// `--set path=value`.

#include <string>
#include <vector>

#include "plan/graph_spec.h"

namespace penstock::config {

/// Puts the value of "nodes.decode.concurrency=4" into the pipeline's tree. The value is parsed as
/// YAML and `${env:...}` replaced; its place is "--set nodes.decode.concurrency".
void apply_set(Value* root, const std::string& assignment, std::vector<Diagnostic>* diagnostics);

}  // namespace penstock::config
