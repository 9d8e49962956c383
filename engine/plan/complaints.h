#pragma once
/// Collects diagnostics while a plan is made.

#include <string>
#include <utility>
#include <vector>

#include "penstock/diagnostic.h"

namespace penstock {

/// Where a mistake stands.
struct Place {
  Position at;
  std::string source_line;
};

/// Appends to a list that it does not own.
class Complaints {
 public:
  explicit Complaints(std::vector<Diagnostic>* list) : list_(list) {}
  void error(std::string code, std::string message, const Place& place, std::string help = "") {
    ++errors_;
    add(Diagnostic::Severity::kError, std::move(code), std::move(message), place, std::move(help));
  }
  void warning(std::string code, std::string message, const Place& place, std::string help = "") {
    add(Diagnostic::Severity::kWarning, std::move(code), std::move(message), place,
        std::move(help));
  }
  /// Errors so far.
  int errors() const { return errors_; }

 private:
  void add(Diagnostic::Severity severity, std::string code, std::string message, const Place& place,
           std::string help) {
    list_->push_back(Diagnostic{severity, std::move(code), std::move(message), place.at,
                                place.source_line, std::move(help)});
  }
  std::vector<Diagnostic>* list_;
  int errors_ = 0;
};

/// "did you mean 'size'?", or else what there is: "<these>: a, b, c"; "" when there is nothing.
inline std::string suggestion(const std::string& word, const std::vector<std::string>& candidates,
                              const std::string& these) {
  const std::string near = did_you_mean(word, candidates);
  if (!near.empty()) return "did you mean '" + near + "'?";
  std::string list;
  for (const std::string& candidate : candidates) list += (list.empty() ? "" : ", ") + candidate;
  return list.empty() ? "" : these + ": " + list;
}

}  // namespace penstock
