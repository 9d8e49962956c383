#include "config/load.h"

#include <filesystem>

#include "config/document.h"
#include "config/extract.h"
#include "config/mistakes.h"
#include "config/set.h"
#include "config/source.h"

namespace penstock {
namespace {

namespace fs = std::filesystem;

std::optional<GraphSpec> load_source(const config::Source& source, const std::string& path,
                                     const std::string& folder,
                                     const std::vector<std::string>& sets,
                                     std::vector<Diagnostic>* diagnostics,
                                     std::optional<GraphSpec>* partial) {
  std::vector<Diagnostic> found;
  std::optional<GraphSpec> result;
  if (partial != nullptr) partial->reset();
  if (auto document = config::read_document(source, path, folder, &found)) {
    for (const std::string& assignment : sets) {
      config::apply_set(&document->root, assignment, &found);
    }
    config::Extracted extracted = config::extract(*document, &found);
    if (!has_errors(found)) {
      result = std::move(extracted.spec);
    } else if (partial != nullptr && extracted.readable) {
      *partial = std::move(extracted.spec);
    }
  }
  diagnostics->insert(diagnostics->end(), found.begin(), found.end());
  sort_diagnostics(diagnostics);
  return result;
}

}  // namespace

std::optional<GraphSpec> load_file(const std::string& path, const std::vector<std::string>& sets,
                                   std::vector<Diagnostic>* diagnostics,
                                   std::optional<GraphSpec>* partial) {
  if (partial != nullptr) partial->reset();
  std::string reason = "its path is empty";
  auto text = path.empty() ? std::nullopt : config::read_file(path, &reason);
  if (!text) {
    Value at;
    at.at.file = path;
    diagnostics->push_back(config::mistake("cannot-read", "cannot read the file: " + reason, at));
    sort_diagnostics(diagnostics);
    return std::nullopt;
  }
  const std::string folder = fs::absolute(path).lexically_normal().parent_path().string();
  return load_source(config::Source(path, std::move(*text)), path, folder, sets, diagnostics,
                     partial);
}

std::optional<GraphSpec> load_text(const std::string& text, const std::string& name,
                                   const std::string& base_dir,
                                   const std::vector<std::string>& sets,
                                   std::vector<Diagnostic>* diagnostics,
                                   std::optional<GraphSpec>* partial) {
  const fs::path folder = base_dir.empty() ? fs::current_path() : fs::absolute(base_dir);
  return load_source(config::Source(name, text), "", folder.lexically_normal().string(), sets,
                     diagnostics, partial);
}

}  // namespace penstock
