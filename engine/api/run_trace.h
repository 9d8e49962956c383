#pragma once
/// The trace of a run that a program or the command line asked for. Once it cannot be written any
/// more it ends, and the run does not.

#include <functional>
#include <string>

#include "report/trace.h"
#include "runtime/run.h"

namespace penstock {

class RunTrace {
 public:
  using Warn = std::function<void(const std::string&)>;
  /// Throws std::runtime_error when the file cannot be opened.
  RunTrace(const std::string& file, const Plan& plan, Warn warn = nullptr)
      : writer_(file, plan), warn_(std::move(warn)) {}

  /// What was recorded since the last call. By the consumer's thread.
  void add(RunImpl& run) {
    if (!ended_) attempt([&] { writer_.add(run.take_firings()); });
  }
  /// The rest; the file is complete then.
  void end(RunImpl& run) {
    if (ended_) return;
    add(run);
    attempt([&] { writer_.finish(run.step_end()); });
    if (error_.empty() && warn_ && !lost_text().empty()) warn_(lost_text());
    ended_ = true;
  }
  /// Why there is no complete trace; empty: there is one, or it goes on.
  const std::string& error() const { return error_; }
  /// What it lacks, in words; empty: nothing.
  std::string lost_text() const {
    if (writer_.lost() == 0) return "";
    return "the trace lacks " + std::to_string(writer_.lost()) +
           " firings: more than it can keep happened between two batches";
  }

 private:
  template <typename Step>
  void attempt(Step step) {
    if (!error_.empty()) return;
    try {
      step();
    } catch (const std::exception& error) {
      error_ = error.what();
      if (warn_) warn_(error_);
    }
  }

  TraceWriter writer_;
  Warn warn_;
  std::string error_;
  bool ended_ = false;
};

}  // namespace penstock
