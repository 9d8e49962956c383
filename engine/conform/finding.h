#pragma once
/// What the conformance kit has to say about operators.

#include <string>
#include <vector>

namespace penstock::conform {

/// The outcome of one check.
struct Finding {
  enum class Status { kPass, kFail, kNotDone } status = Status::kPass;
  std::string check;  ///< "schema", "declared", "seed", ...: stable, for tools
  std::string text;   ///< what was seen, or what is wrong
};

/// All about one operator.
struct OperatorFindings {
  std::string op;
  std::vector<Finding> findings;
};

/// Receives a check's name before it begins, and its outcome.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void begin(const std::string& check) = 0;
  virtual void end(const Finding& finding) = 0;
  /// Nothing was said for `seconds`; after `limit` of them the check is ended.
  virtual void waits(const std::string& check, int seconds, int limit) {
    static_cast<void>(check), static_cast<void>(seconds), static_cast<void>(limit);
  }
};

}  // namespace penstock::conform
