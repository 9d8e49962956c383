#pragma once
/// A pipeline file with its includes as one tree.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "config/source.h"
#include "plan/graph_spec.h"

namespace penstock::config {

struct Document {
  Value root;  ///< a mapping; `nodes` holds those of the includes first, `include` is gone
  /// Absolute folder of each file, by the name that positions carry.
  std::map<std::string, std::string> folders;
};

/// Parses `source`, replaces `${env:...}` and reads the includes, which are relative to `folder`.
/// `path` is the file's own, empty for a text. Nothing comes back when the file itself cannot be
/// used; mistakes in included files leave out what they spoil.
std::optional<Document> read_document(const Source& source, const std::string& path,
                                      const std::string& folder,
                                      std::vector<Diagnostic>* diagnostics);

}  // namespace penstock::config
