#pragma once
/// Short ways to note what is wrong with a value.

#include <string>
#include <utility>
#include <vector>

#include "penstock/diagnostic.h"
#include "plan/graph_spec.h"

namespace penstock::config {

/// An error at a value or key.
inline Diagnostic mistake(std::string code, std::string message, const Value& value,
                          std::string help = "") {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.message = std::move(message);
  diagnostic.at = value.at;
  diagnostic.source_line = value.source_line;
  diagnostic.help = std::move(help);
  return diagnostic;
}

/// "a", "a or b", "a, b or c".
std::string join_words(const std::vector<std::string>& words, const std::string& last = "or");

/// What stands there, for messages: "a list", "nothing", "'large'", "the quoted '12'".
std::string describe(const Value& value);

/// The candidate that `word` most likely means: by edit distance, else one that is a whole part of
/// it ("num-threads" -> "threads"), else "".
std::string nearest(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace penstock::config
