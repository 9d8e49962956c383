#pragma once
/// The course of a run as trace events, for viewers such as Perfetto and chrome://tracing.

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "measure/firing.h"
#include "plan/plan.h"

namespace penstock {

/// Writes a file of trace events (JSON array format: a file that was cut off opens too). One
/// process for the consumer and for each node, one track for each slot; on a track one event for
/// each state of the slot, waits named by the edge that caused them, and for the consumer
/// `data_wait` and `work`, with the ranges that it named inside of it; for a node that copies to a
/// device a track with its copies, `host_to_device`, by the device's clock. Times are microseconds
/// since the run's start. Not thread-safe.
class TraceWriter {
 public:
  /// Throws std::runtime_error when the file cannot be written; so do the others.
  TraceWriter(std::string path, const Plan& plan);
  void add(const FiringLog& log);
  /// Ends the array, with the work after the last batch up to `step_end`. The file is complete only
  /// then.
  void finish(int64_t step_end);
  uint64_t lost() const { return lost_; }

 private:
  struct NodeNames {
    std::string id;
    std::vector<std::string> starved, blocked;  ///< by in-edge and by out-edge
  };
  void add(const FiringRecord& record);
  void event(size_t process, uint64_t track, const std::string& name, int64_t from, int64_t to,
             const std::string& arguments = "");
  void name_process(size_t process, const std::string& name);
  void write(const std::string& text);
  [[noreturn]] void fail(int error) const;

  const std::string path_;
  std::ofstream file_;
  std::vector<NodeNames> names_;  ///< by unit
  int64_t consumer_since_ = -1;   ///< the batch before arrived
  bool first_ = true;
  uint64_t lost_ = 0;
};

}  // namespace penstock
