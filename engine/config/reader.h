#pragma once
/// Typed reading of single values: each function gives the value or notes one mistake, with the
/// full path, what was due and what stands there.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "config/keys.h"
#include "plan/graph_spec.h"

namespace penstock::config {

class Reader {
 public:
  explicit Reader(std::vector<Diagnostic>* diagnostics) : diagnostics_(diagnostics) {}

  void error(const std::string& code, const std::string& message, const Value& at,
             const std::string& help = "") const;
  /// "PATH must be DUE, not WHAT STANDS THERE".
  void wrong(const std::string& code, const std::string& path, const std::string& due,
             const Value& value, const std::string& help = "") const;

  bool is_map(const Value& value, const std::string& path, const std::string& help = "") const;
  /// Notes every key of the mapping that is not in `keys`; `what` has it: "the pipeline".
  void check_keys(const Value& map, const Words& keys, const std::string& what) const;

  /// Any scalar that is not empty.
  std::optional<std::string> text(const Value& value, const std::string& path) const;
  /// A text, or a list of texts, with the places.
  std::vector<Value> texts(const Value& value, const std::string& path) const;
  std::optional<bool> boolean(const Value& value, const std::string& path) const;
  std::optional<uint64_t> whole(const Value& value, const std::string& path, uint64_t low,
                                uint64_t high) const;
  /// From 0 to 1.
  std::optional<double> fraction(const Value& value, const std::string& path) const;
  /// At least one byte.
  std::optional<uint64_t> bytes(const Value& value, const std::string& path) const;
  std::optional<int64_t> duration(const Value& value, const std::string& path) const;
  /// The index of the choice.
  std::optional<size_t> choice(const Value& value, const std::string& path,
                               const Words& choices) const;

 private:
  std::vector<Diagnostic>* diagnostics_;
};

/// True of a node's id: a letter or '_', then letters, digits, '_' and '-'.
bool is_identifier(const std::string& text);

}  // namespace penstock::config
