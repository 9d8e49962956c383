#include "diagnose/critical_path.h"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

namespace penstock {
namespace {

constexpr uint64_t kLeastBatchesOfPath = 10;
constexpr double kMostUnknown = 0.3;
constexpr uint64_t kCountBits = 40;  // of a firing's identity

/// Records by what the way back asks for.
class Index {
 public:
  Index(const GraphFacts& graph, const std::vector<FiringRecord>& firings)
      : by_done_(graph.units.size()) {
    for (const FiringRecord& firing : firings) {
      if (firing.unit >= by_done_.size()) continue;
      by_id_[firing.firing] = &firing;
      by_done_[firing.unit].push_back(&firing);
    }
    for (auto& list : by_done_) {
      std::sort(list.begin(), list.end(),
                [](const FiringRecord* a, const FiringRecord* b) { return a->done < b->done; });
    }
  }
  const FiringRecord* find(uint64_t id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second;
  }
  /// The last firing of a unit that was done by `at`; of one slot only where that is given.
  const FiringRecord* last_done(size_t unit, int64_t at, std::optional<uint16_t> slot) const {
    const auto& list = by_done_[unit];
    auto it = std::upper_bound(
        list.begin(), list.end(), at,
        [](int64_t time, const FiringRecord* firing) { return time < firing->done; });
    while (it != list.begin()) {
      --it;
      if (!slot || (*it)->slot == *slot) return *it;
    }
    return nullptr;
  }

 private:
  std::unordered_map<uint64_t, const FiringRecord*> by_id_;
  std::vector<std::vector<const FiringRecord*>> by_done_;
};

/// The way back from the last delivery of one stretch to its first.
class WayBack {
 public:
  WayBack(const GraphFacts& graph, const Index& index, std::span<const DeliveryRecord> stretch,
          PathBlame* blame)
      : graph_(graph),
        index_(index),
        stretch_(stretch),
        blame_(blame),
        begin_(stretch.front().arrived),
        at_(stretch.back().arrived),
        delivery_(stretch.size() - 1) {}

  void walk() {
    blame_->total += at_ - begin_;
    blame_->batches += stretch_.size() - 1;
    at_consumer();
    // Each step goes to an earlier event or, at one time, up the graph: this is only a last resort.
    for (size_t steps = 0; at_ > begin_ && steps < kMostSteps; ++steps) {
      if (firing_ == nullptr) break;
      step();
    }
    charge(&blame_->unknown, begin_);
  }

 private:
  static constexpr size_t kMostSteps = 1'000'000;

  /// Charges the time back to `since`, as far as it lies before the present place.
  void charge(int64_t* cause, int64_t since) {
    since = std::max(since, begin_);
    if (since >= at_) return;
    *cause += at_ - since;
    at_ = since;
  }

  /// At the arrival of `delivery_`: back over the consumer's work as long as batches lay ready.
  void at_consumer() {
    firing_ = nullptr;
    for (; delivery_ > 0 && at_ > begin_; --delivery_) {
      const DeliveryRecord& delivery = stretch_[delivery_];
      const FiringRecord* made = index_.find(delivery.firing);
      if (made != nullptr && made->room > delivery.asked) {
        firing_ = made;
        return;
      }
      charge(&blame_->engine, delivery.asked);
      charge(&blame_->consumer, stretch_[delivery_ - 1].arrived);
    }
  }

  /// Back through one firing, and on to what made it possible.
  void step() {
    const FiringRecord& firing = *firing_;
    charge(&blame_->engine, firing.room);
    if (firing.room > firing.head && at_ > firing.head) return to_room_maker(firing);
    charge(&blame_->engine, firing.held);
    if (firing.held > firing.end && at_ > firing.end) return to_predecessor(firing);
    charge(&blame_->engine, firing.end);
    charge(&blame_->nodes[firing.unit], firing.start);
    charge(&blame_->threads, firing.ready);
    charge(&blame_->memory, firing.in);
    const FiringRecord* input = firing.in > firing.free ? index_.find(firing.enabler) : nullptr;
    firing_ = input != nullptr && input != firing_
                  ? input
                  : index_.last_done(firing.unit, firing.free, firing.slot);
    if (firing_ == &firing) firing_ = nullptr;
  }

  /// The older firing that this one waited for in order.
  void to_predecessor(const FiringRecord& firing) { firing_ = index_.find(firing.firing - 1); }

  /// The consumer of the full edge, which took an entry when a slot of its own became free.
  void to_room_maker(const FiringRecord& firing) {
    const std::vector<int>& out = graph_.units[firing.unit].out_edges;
    const size_t place = std::min<size_t>(firing.full_edge, out.empty() ? 0 : out.size() - 1);
    const size_t to = out.empty()
                          ? graph_.units.size()
                          : static_cast<size_t>(graph_.edges[static_cast<size_t>(out[place])].to);
    if (to < graph_.units.size()) {
      firing_ = index_.last_done(to, at_, std::nullopt);
      return;
    }
    while (delivery_ > 0 && stretch_[delivery_].asked > at_) --delivery_;
    if (delivery_ == 0) {
      firing_ = nullptr;
      return;
    }
    charge(&blame_->engine, stretch_[delivery_].asked);
    charge(&blame_->consumer, stretch_[delivery_ - 1].arrived);
    --delivery_;
    at_consumer();
  }

  const GraphFacts& graph_;
  const Index& index_;
  const std::span<const DeliveryRecord> stretch_;
  PathBlame* const blame_;
  const int64_t begin_;
  int64_t at_;
  size_t delivery_;  // at or before `at_`
  const FiringRecord* firing_ = nullptr;
};

/// Time on the path on a CPU, or waiting for one or for a thread.
double computing_ns(const Costs& costs, const PathBlame& blame) {
  const auto part = [](double computing_ms, double off_ms) {
    return computing_ms + off_ms > 0 ? computing_ms / (computing_ms + off_ms) : 0;
  };
  const ConsumerCosts& consumer = costs.consumer;
  double sum = static_cast<double>(blame.threads) +
               static_cast<double>(blame.consumer) *
                   part(consumer.cpu_ms + consumer.queued_ms, consumer.off_ms);
  for (size_t n = 0; n < costs.nodes.size(); ++n) {
    const NodeCosts& node = costs.nodes[n];
    sum += static_cast<double>(blame.nodes[n]) * part(node.cpu_ms + node.queued_ms, node.off_ms);
  }
  return sum;
}

/// Time on the path in bodies on the CPU threads, or waiting for these.
double pooled_ns(const Costs& costs, const PathBlame& blame) {
  auto sum = static_cast<double>(blame.threads);
  for (size_t n = 0; n < costs.nodes.size(); ++n) {
    if (costs.nodes[n].facts.pooled) sum += static_cast<double>(blame.nodes[n]);
  }
  return sum;
}

/// The node with the largest part of the path, or the consumer.
std::string largest_of(const Costs& costs, const PathBlame& blame) {
  std::string name = "consumer";
  int64_t most = blame.consumer;
  for (size_t n = 0; n < costs.nodes.size(); ++n) {
    if (blame.nodes[n] <= most) continue;
    most = blame.nodes[n];
    name = costs.nodes[n].facts.id;
  }
  return name;
}

bool follows(const DeliveryRecord& before, const DeliveryRecord& after) {
  return after.firing >> kCountBits == before.firing >> kCountBits &&
         after.firing - before.firing <= 1;
}

}  // namespace

PathBlame critical_path(const GraphFacts& graph, const FiringLog& log, int64_t begin_ns,
                        int64_t end_ns) {
  PathBlame blame;
  blame.nodes.resize(graph.units.size(), 0);
  const Index index(graph, log.firings);
  std::vector<DeliveryRecord> stretch;
  const auto close = [&] {
    if (stretch.size() > 1) WayBack(graph, index, stretch, &blame).walk();
    stretch.clear();
  };
  for (const DeliveryRecord& delivery : log.deliveries) {
    if (delivery.arrived < begin_ns || delivery.arrived > end_ns) continue;
    if (!stretch.empty() && !follows(stretch.back(), delivery)) close();
    stretch.push_back(delivery);
  }
  close();
  return blame;
}

std::vector<PathShare> shares_of(const GraphFacts& graph, const PathBlame& blame) {
  std::vector<PathShare> shares;
  const auto add = [&](const std::string& cause, int64_t ns) {
    if (ns > 0)
      shares.push_back({cause, static_cast<double>(ns) / static_cast<double>(blame.total)});
  };
  for (size_t u = 0; u < blame.nodes.size(); ++u) add(graph.units[u].id, blame.nodes[u]);
  add("consumer", blame.consumer);
  add("threads", blame.threads);
  add("memory", blame.memory);
  add("engine", blame.engine);
  add("unknown", blame.unknown);
  std::stable_sort(shares.begin(), shares.end(),
                   [](const PathShare& a, const PathShare& b) { return a.share > b.share; });
  return shares;
}

Agreement agreement_of(const Costs& costs, const PathBlame& blame, const std::string& limit,
                       const std::vector<std::string>& nodes) {
  if (blame.batches < kLeastBatchesOfPath || blame.nodes.size() != costs.nodes.size() ||
      static_cast<double>(blame.unknown) > kMostUnknown * static_cast<double>(blame.total)) {
    return Agreement::kUnknown;
  }
  const auto said = [](bool agrees) { return agrees ? Agreement::kAgrees : Agreement::kDisagrees; };
  const double half = 0.5 * static_cast<double>(blame.total);
  if (limit == "cpu") return said(computing_ns(costs, blame) >= half);
  if (limit == "threads") return said(pooled_ns(costs, blame) >= half);
  if (limit != "node" && limit != "order" && limit != "consumer" && limit != "co_limited") {
    return Agreement::kUnknown;
  }
  const std::string largest = largest_of(costs, blame);
  for (const std::string& node : nodes) {
    if (node == largest || (node == "cpu" && computing_ns(costs, blame) >= half) ||
        (node == "threads" && pooled_ns(costs, blame) >= half)) {
      return Agreement::kAgrees;
    }
  }
  return Agreement::kDisagrees;
}

}  // namespace penstock
