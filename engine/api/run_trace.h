#pragma once
/// The trace of a run that a program asked for. Once it cannot be written any more it ends, and the
/// run does not.

#include <functional>
#include <string>

#include "report/trace.h"
#include "runtime/run.h"

namespace penstock {

class RunTrace {
 public:
  using Warn = std::function<void(const std::string&)>;
  /// Throws std::runtime_error when the file cannot be opened.
  RunTrace(const std::string& file, const Plan& plan, Warn warn)
      : writer_(file, plan), warn_(std::move(warn)) {}

  /// What was recorded since the last call. By the consumer's thread.
  void add(RunImpl& run) {
    attempt([&] { writer_.add(run.take_firings()); });
  }
  /// The rest; the file is complete then.
  void end(RunImpl& run) {
    add(run);
    attempt([&] { writer_.finish(); });
    if (!ended_ && writer_.lost() > 0 && warn_) {
      warn_("the trace lacks " + std::to_string(writer_.lost()) +
            " firings: more than it can keep happened between two batches");
    }
    ended_ = true;
  }

 private:
  template <typename Step>
  void attempt(Step step) {
    if (ended_) return;
    try {
      step();
    } catch (const std::runtime_error& error) {
      ended_ = true;
      if (warn_) warn_(error.what());
    }
  }

  TraceWriter writer_;
  Warn warn_;
  bool ended_ = false;
};

}  // namespace penstock
