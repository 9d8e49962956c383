#include <algorithm>

#include "plan/plan.h"

namespace penstock {
namespace {

/// Items that each node gives in one epoch, where that is known without running it.
class Counter {
 public:
  Counter(const Plan& plan, uint32_t epoch)
      : plan_(plan), epoch_(epoch), known_(plan.nodes().size()), counts_(plan.nodes().size()) {}

  std::optional<uint64_t> of(int index) {
    const auto i = static_cast<size_t>(index);
    if (!known_[i]) counts_[i] = count(plan_.nodes()[i]);
    known_[i] = true;
    return counts_[i];
  }

 private:
  std::optional<uint64_t> input(const PlanNode& node, size_t port) {
    return of(plan_.edges()[static_cast<size_t>(node.in_edges[port])].from);
  }

  std::optional<uint64_t> count(const PlanNode& node) {
    if (node.policy.skip || node.may_drop || node.kind == Kind::kExpand) return std::nullopt;
    if (node.kind == Kind::kSource) {
      return records_of(dynamic_cast<const Source&>(*node.prototype), epoch_);
    }
    std::optional<uint64_t> result = input(node, 0);
    for (size_t port = 1; port < node.in_edges.size(); ++port) {
      const auto other = input(node, port);
      if (!result || !other) return std::nullopt;
      result = node.kind == Kind::kZip ? std::min(*result, *other) : *result + *other;
    }
    if (!result) return std::nullopt;
    if (const auto* take = dynamic_cast<const Take*>(node.prototype.get())) {
      return std::min(*result, take->limit());
    }
    if (const auto* collate = dynamic_cast<const Collate*>(node.prototype.get())) {
      const uint64_t size = collate->batch_size();
      return *result / size + (!collate->drop_last() && *result % size != 0 ? 1 : 0);
    }
    return result;
  }

  const Plan& plan_;
  uint32_t epoch_;
  std::vector<bool> known_;
  std::vector<std::optional<uint64_t>> counts_;
};

}  // namespace

std::optional<uint64_t> records_of(const Source& source, uint32_t epoch) {
  try {
    return source.size(epoch);
  } catch (...) {
    return std::nullopt;  // a run's own call reports it
  }
}

std::optional<uint64_t> Plan::batches_per_epoch(uint32_t epoch) const {
  return Counter(*this, epoch).of(edges_[static_cast<size_t>(consumer_edge_)].from);
}

}  // namespace penstock
