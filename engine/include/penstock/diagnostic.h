#pragma once
/// Mistakes in what a user wrote: collected, sorted and shown all at once, never thrown one by one.

#include <string>
#include <vector>

namespace penstock {

/// A place in a file; line and column count from 1, 0 means unknown.
struct Position {
  std::string file;  ///< as the user named it; "<string>" or "--set" where there is no file
  int line = 0;
  int column = 0;
  int length = 1;  ///< characters to underline
  /// "train.yaml:14:13", or the parts that are known.
  std::string text() const;
  friend bool operator==(const Position&, const Position&) = default;
};

struct Diagnostic {
  enum class Severity { kError, kWarning } severity = Severity::kError;
  std::string code;     ///< "unknown-param": stable, for tools
  std::string message;  ///< one line, without a full stop
  Position at;
  std::string source_line;  ///< text of that line, for the picture; may be empty
  std::string help;         ///< the remedy; may be empty
};

/// Sorted by file, line, column; identical entries once.
void sort_diagnostics(std::vector<Diagnostic>* diagnostics);
bool has_errors(const std::vector<Diagnostic>& diagnostics);
/// The form in the documentation: position, code, message, the line with carets, help.
std::string format_text(const Diagnostic& diagnostic);
std::string format_text(const std::vector<Diagnostic>& diagnostics);
/// {"diagnostics": [{"severity", "code", "message", "file", "line", "column", "length", "help"}]}
std::string format_json(const std::vector<Diagnostic>& diagnostics);
/// The text as it may go to a terminal: control characters as \n, \x1b and so on.
std::string printable(const std::string& text);
/// The candidate nearest to `word` by edit distance (at most a third of its length), or "".
std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace penstock
