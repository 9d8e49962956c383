#pragma once
/// Operators that do what a GraphCase says, on int64 values, and write down what they see. Made of
/// the public classes only. Fields of every item: `v` (the values, through ctx.output), `pad` (some
/// bytes that must go with them) and `token` (memory whose life the test counts).

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "penstock/operator.h"
#include "plan/plan.h"
#include "plan/registry.h"
#include "support/graph_case.h"

namespace penstock::testing {

/// What a Sink or the consumer got.
struct Received {
  std::vector<Origin> samples;  ///< one, or a batch's
  std::vector<int64_t> values;
  friend bool operator==(const Received&, const Received&) = default;
  friend auto operator<=>(const Received&, const Received&) = default;
};
using Epochs = std::vector<std::vector<Received>>;

/// Memory that the test counts: how many are alive now and were at most.
class Tokens {
 public:
  Tensor make(int bytes);
  int64_t live() const { return live_.load(); }
  int64_t live_max() const { return live_max_.load(); }

 private:
  static void drop(void* self);
  std::atomic<int64_t> live_{0}, live_max_{0};
};

/// One pipeline's operators and what they wrote down. It must outlive the run and its batches.
class World {
 public:
  explicit World(GraphCase graph);
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  /// Validates the pipeline; on mistakes returns null and puts the text into `mistakes`.
  std::shared_ptr<const Plan> plan(std::string* mistakes = nullptr) const;

  void record(int node, Received received);
  /// Something that must never happen; the first few are kept.
  void violation(const std::string& text);
  std::vector<std::string> violations() const;
  /// What each Sink got so far, by epoch.
  std::map<int, Epochs> sinks() const;
  /// Called by every body before it does anything: hook, jitter, the drawn failure.
  void enter(int node, const Origin& origin);

  const GraphCase graph;
  Tokens tokens;
  /// 0: none; else bodies spin or yield by a draw from it.
  uint64_t jitter = 0;
  /// For gates and faults of directed tests; called by several threads.
  std::function<void(int node, const Origin& origin)> on_body;
  std::atomic<uint64_t> bodies{0};

 private:
  void register_operators();
  Registry registry_;
  mutable std::mutex mutex_;
  std::map<int, Epochs> sinks_;
  std::vector<std::string> violations_;
};

/// The values of an item of one of these pipelines, as the consumer sees it; reports padding that
/// does not belong to them as a violation.
Received received(World& world, const Item& item);

}  // namespace penstock::testing
