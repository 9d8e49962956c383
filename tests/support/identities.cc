#include <algorithm>
#include <map>
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

bool in_order(const FiringRecord& r) {
  return 0 <= r.free && r.free <= r.in && r.in <= r.ready && r.ready <= r.start &&
         r.start <= r.end && r.end <= r.held && r.held <= r.head && r.head <= r.room &&
         r.room <= r.done;
}

/// The states that end with a firing, from its records.
SlotStates add_up(const std::vector<const FiringRecord*>& records) {
  SlotStates s;
  for (const FiringRecord* r : records) {
    s.thread_wait += r->start - r->ready;
    s.running += r->end - r->start;
    s.order_held += r->held - r->end;
    s.handover += (r->head - r->held) + (r->done - r->room);
  }
  return s;
}

}  // namespace

std::string check_firings(const Snapshot& snapshot, const FiringLog& log) {
  std::map<uint64_t, const FiringRecord*> by_firing;
  std::vector<std::vector<const FiringRecord*>> by_unit(snapshot.units.size());
  for (const FiringRecord& record : log.firings) {
    if (!in_order(record)) return "the times of a firing are out of order";
    if (!by_firing.emplace(record.firing, &record).second) return "a firing was recorded twice";
    by_unit.at(record.unit).push_back(&record);
  }
  if (log.lost > 0) return "";
  for (size_t i = 0; i < by_unit.size(); ++i) {
    const UnitSnapshot& unit = snapshot.units[i];
    if (by_unit[i].size() != unit.firings) {
      return unequal("recorded firings of " + unit.id, static_cast<int64_t>(by_unit[i].size()),
                     static_cast<int64_t>(unit.firings));
    }
    const SlotStates s = add_up(by_unit[i]);
    if (s.thread_wait != unit.states.thread_wait || s.running != unit.states.running ||
        s.order_held != unit.states.order_held || s.handover != unit.states.handover) {
      return "the records of " + unit.id + " do not add up to its states";
    }
  }
  for (const FiringRecord& record : log.firings) {
    if (record.enabler != 0 && !by_firing.contains(record.enabler)) {
      return "a firing was enabled by one that never was";
    }
  }
  int64_t before = 0;
  for (const DeliveryRecord& delivery : log.deliveries) {
    if (!by_firing.contains(delivery.firing)) return "a batch came from no firing";
    if (delivery.asked < before || delivery.arrived < delivery.asked) {
      return "the times of a batch are out of order";
    }
    before = delivery.arrived;
  }
  return log.deliveries.size() == snapshot.consumer.batches ? "" : "a batch was not recorded";
}

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
