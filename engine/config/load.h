#pragma once
/// YAML -> GraphSpec. Reads a pipeline with its includes, `${env:...}` and `--set`, checks every
/// key and type that does not depend on an operator, and reports all mistakes at once. Pure apart
/// from reading files and the environment; may be called on any thread, but not while another
/// thread changes the environment or the current directory. docs/yaml.md states the rules.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "penstock/diagnostic.h"
#include "plan/graph_spec.h"

namespace penstock {

/// Reads a pipeline file. `sets` are "nodes.decode.concurrency=4" and the like, applied in order
/// after the includes. Appends sorted diagnostics; nothing comes back if one of them is an error.
/// `partial` (may be null) then receives what could be read, where that is enough for the plan to
/// look for further mistakes; a partial spec must never be run.
std::optional<GraphSpec> load_file(const std::string& path, const std::vector<std::string>& sets,
                                   std::vector<Diagnostic>* diagnostics,
                                   std::optional<GraphSpec>* partial = nullptr);

/// The same from a text: `name` stands for the file in messages ("<string>"), relative paths start
/// from `base_dir` (empty: the current directory).
std::optional<GraphSpec> load_text(const std::string& text, const std::string& name,
                                   const std::string& base_dir,
                                   const std::vector<std::string>& sets,
                                   std::vector<Diagnostic>* diagnostics,
                                   std::optional<GraphSpec>* partial = nullptr);

/// Tells whether a parameter of an operator is a path (the registry knows).
using IsPath = std::function<bool(const std::string& op, const std::string& param)>;

/// The pipeline after include, env and --set, as YAML that loads again to the same GraphSpec.
/// Parameters that `is_path` names are printed absolute; without it they stay as written, and are
/// right only beside the file that they came from.
std::string resolved_yaml(const GraphSpec& spec, const IsPath& is_path = {});

}  // namespace penstock
