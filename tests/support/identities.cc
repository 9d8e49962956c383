#include <algorithm>
#include <string>

#include "support/graph_run.h"

namespace penstock::testing {
namespace {

std::string unequal(const std::string& what, int64_t left, int64_t right) {
  return what + ": " + std::to_string(left) + " is not " + std::to_string(right);
}

std::string check_states(const UnitSnapshot& unit) {
  const SlotStates& s = unit.states;
  bool negative = s.thread_wait < 0 || s.running < 0 || s.handover < 0 || s.order_held < 0 ||
                  s.blocked_pool < 0 || s.drained < 0;
  for (int64_t ns : s.starved) negative |= ns < 0;
  for (int64_t ns : s.blocked) negative |= ns < 0;
  if (negative) return "a negative time in a state of " + unit.id;
  const int64_t slots = unit.concurrency * unit.now;
  return s.sum() == slots ? "" : unequal("states of " + unit.id, s.sum(), slots);
}

std::string check_edge(const EdgeSnapshot& edge, size_t index, bool ended) {
  const std::string name = "edge " + std::to_string(index);
  const auto as = [](uint64_t value) { return static_cast<int64_t>(value); };
  if (edge.puts - edge.gets != edge.content) {
    return unequal(name + ", puts - gets = content", as(edge.puts - edge.gets), as(edge.content));
  }
  if (edge.content > edge.capacity || edge.fill_max > edge.capacity) {
    return name + " held more than its capacity";
  }
  // One item of these pipelines has less than 200 bytes; an oversized one passes alone.
  if (edge.capacity_bytes > 0 && edge.bytes_max > std::max<uint64_t>(edge.capacity_bytes, 200)) {
    return name + " held " + std::to_string(edge.bytes_max) + " bytes, bound " +
           std::to_string(edge.capacity_bytes);
  }
  if (edge.occupancy_ns != edge.residence_ns) {
    return unequal(name + ", occupancy = residence", edge.occupancy_ns, edge.residence_ns);
  }
  if (edge.empty_ns < 0 || edge.full_ns < 0 || edge.empty_ns + edge.full_ns > edge.now) {
    return name + " was empty and full for longer than it was there";
  }
  if (ended && (edge.content != 0 || edge.bytes != 0)) return name + " is not empty at the end";
  return "";
}

}  // namespace

std::string check_identities(const Snapshot& snapshot, bool ended) {
  for (const UnitSnapshot& unit : snapshot.units) {
    const std::string wrong = check_states(unit);
    if (!wrong.empty()) return wrong;
  }
  for (size_t i = 0; i < snapshot.edges.size(); ++i) {
    const std::string wrong = check_edge(snapshot.edges[i], i, ended);
    if (!wrong.empty()) return wrong;
  }
  const ConsumerSnapshot& consumer = snapshot.consumer;
  if (consumer.wait_ns + consumer.work_ns != consumer.wall_ns) {
    return unequal("consumer's wait + work = wall", consumer.wait_ns + consumer.work_ns,
                   consumer.wall_ns);
  }
  const int64_t threads = snapshot.threads * snapshot.now;
  if (snapshot.thread_run_ns + snapshot.thread_idle_ns != threads) {
    return unequal("run + idle of the threads = threads x wall",
                   snapshot.thread_run_ns + snapshot.thread_idle_ns, threads);
  }
  if (ended && snapshot.bytes_in_flight != 0) {
    return unequal("bytes in flight at the end", snapshot.bytes_in_flight, 0);
  }
  return "";
}

}  // namespace penstock::testing
