#pragma once
/// Predictions of what a change will do, made before it is tried, and what the outcome says of
/// them. All pure.

#include <cstdint>
#include <string>
#include <vector>

#include "diagnose/remedy.h"
#include "diagnose/verdict.h"

namespace penstock {

/// What a run should show if one explanation is the true one.
struct Expectation {
  std::string limit;
  std::vector<std::string> nodes;
  double examples_per_s = 0, low = 0, high = 0;
  double wait_ms = 0, work_ms = 0;  ///< means
};

/// One change with the predictions for it.
struct Trial {
  std::string set;         ///< as for --set; empty: the consumer does no work
  std::string what;        ///< in words, to follow "if"
  Expectation hypothesis;  ///< by the verdict
  std::vector<Expectation> alternatives;
};

/// The verdict's own experiment; nothing where it has none.
std::optional<Trial> change_trial(const Evidence& evidence, const Verdict& verdict);
/// The same pipeline with a consumer that takes batches and does nothing; nothing where the
/// consumer does no work now, or the verdict names no limit.
std::optional<Trial> headroom_trial(const Evidence& evidence, const Verdict& verdict);

/// The rate of one setting, measured once or more.
struct Measured {
  double examples_per_s = 0;
  double error = 0;  ///< half of its 90 % interval, relative; 0: not known
  double wait_ms = 0, work_ms = 0, wait_p50_ms = 0, wait_p95_ms = 0;
  uint64_t skipped = 0;  ///< samples that `on_error: skip` left out
};
/// Of several runs of one setting: means, an error that covers their differences, and all that was
/// skipped.
Measured combined(const std::vector<Measured>& runs);

enum class Finding : uint8_t {
  kHolds,        ///< as the verdict said, and no alternative says the same
  kUndecided,    ///< as the verdict said, and an alternative says the same
  kAlternative,  ///< as an alternative said
  kNeither,      ///< as nobody said
};

struct TrialResult {
  Finding finding = Finding::kNeither;
  double ratio = 1, error = 0;  ///< rate after / before, and half its 90 % interval, relative
  size_t alternative = 0;       ///< of kAlternative: which one is nearest
  std::string text;             ///< in words
};

/// Compares what was measured `before` and `after` the change with the predictions, as ratios, so
/// that a machine that has become slower meanwhile does not decide.
TrialResult interpret(const Trial& trial, double predicted_from, const Measured& before,
                      const Measured& after);

}  // namespace penstock
