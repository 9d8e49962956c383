#pragma once
/// A diagnosis as evidence: what was seen, what is thought to be the reason, what a change was
/// predicted to do and did.

#include <optional>
#include <string>
#include <vector>

#include "diagnose/trial.h"
#include "penstock/report.h"

namespace penstock {

/// One trial, and its outcome once it has been made.
struct TrialRecord {
  Trial trial;
  std::optional<Measured> before, after;
  std::optional<TrialResult> result;
};

struct Diagnosis {
  std::string status = "complete";     ///< complete | interrupted | failed
  std::optional<FailureReport> error;  ///< of a failed one
  std::string pipeline;
  std::string predictions_file;         ///< written before the first trial; empty: it is not there
  std::optional<Report> serial;         ///< one thread, for costs without competition
  std::optional<Prediction> predicted;  ///< of the run as it is, from the serial one
  std::optional<Report> steady;         ///< the run as it is, with the verdict
  std::vector<std::string> inflated;    ///< nodes whose bodies need more CPU here than alone
  std::vector<TrialRecord> trials;
};

/// OBSERVATION, HYPOTHESIS, EXPERIMENT, RESULT, INTERPRETATION, NEXT.
std::string format_text(const Diagnosis& diagnosis);
std::string format_markdown(const Diagnosis& diagnosis);
std::string format_json(const Diagnosis& diagnosis);
/// The predictions alone, as they are written to disk before a trial is made.
std::string format_predictions(const Diagnosis& diagnosis);

}  // namespace penstock
