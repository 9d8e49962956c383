#include "support/graph_run.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace penstock::testing {
namespace {

constexpr std::chrono::seconds kHang{60};

/// Reads one run. The batch of each step is dropped before the next one is asked for.
class Reader {
 public:
  Reader(World* world, RunImpl* run, Outcome* outcome)
      : world_(*world), run_(*run), out_(*outcome) {}

  void read() {
    try {
      while (step()) {
      }
    } catch (const RunError& error) {
      out_.error = error.info();
    } catch (const std::exception& error) {
      out_.troubles.push_back(std::string("next() threw something else: ") + error.what());
    }
    if (out_.error && run_.next(kHang).kind != Next::Kind::kEnd) {
      out_.troubles.push_back("no end after the error");
    }
  }

 private:
  bool step() {
    const Next next = run_.next(kHang);
    switch (next.kind) {
      case Next::Kind::kBatch:
        return batch(next);
      case Next::Kind::kEpochEnd:
        if (next.epoch != out_.epoch_ends) out_.troubles.push_back("an epoch's end out of order");
        ++out_.epoch_ends;
        return true;
      case Next::Kind::kEnd:
        out_.ended = true;
        return false;
      case Next::Kind::kNotReady:
        break;
    }
    out_.troubles.push_back("hangs");
    return false;
  }

  bool batch(const Next& next) {
    const uint32_t epoch = next.batch.epoch();
    if (epoch != out_.epoch_ends) out_.troubles.push_back("a batch outside its epoch");
    if (out_.consumer.size() <= epoch) out_.consumer.resize(epoch + 1);
    out_.consumer[epoch].push_back(received(world_, next.batch.item()));
    if (++delivered_ % 7 == 3) {
      const std::string broken = check_identities(run_.snapshot(), false);
      if (!broken.empty()) out_.troubles.push_back("in the middle: " + broken);
    }
    if (delivered_ == world_.graph.stop_after && world_.graph.stop == Stop::kCall) run_.stop();
    return true;
  }

  World& world_;
  RunImpl& run_;
  Outcome& out_;
  int64_t delivered_ = 0;
};

bool is_error(const ExpectedError& expected, const GraphCase& graph, const ErrorInfo& error) {
  return error.node == id_of(graph, expected.node) && error.origin == expected.origin;
}

std::string text_of(const ErrorInfo& error) {
  return error.node + " at epoch " + std::to_string(error.origin.epoch) + ", position " +
         std::to_string(error.origin.position) + ": " + error.message;
}

std::string text_of(const ExpectedError& error, const GraphCase& graph) {
  return id_of(graph, error.node) + " at epoch " + std::to_string(error.origin.epoch) +
         ", position " + std::to_string(error.origin.position);
}

/// The values alone, as a multiset: what `order: any` must keep.
std::vector<int64_t> multiset(const std::vector<Received>& epoch) {
  std::vector<int64_t> values;
  for (const Received& item : epoch) {
    values.insert(values.end(), item.values.begin(), item.values.end());
  }
  std::sort(values.begin(), values.end());
  return values;
}

const std::vector<Received>& epoch_of(const Epochs& epochs, size_t epoch) {
  static const std::vector<Received> none;
  return epoch < epochs.size() ? epochs[epoch] : none;
}

class Comparison {
 public:
  Comparison(World& world, const Expected& expected, const Outcome& outcome)
      : world_(world), graph_(world.graph), expected_(expected), outcome_(outcome) {}

  std::string run() {
    if (!outcome_.troubles.empty()) return outcome_.troubles.front();
    const auto violations = world_.violations();
    if (!violations.empty()) return violations.front();
    std::string wrong = graph_.any ? unordered_end() : end();
    if (wrong.empty()) wrong = consumer();
    for (const auto& [node, epochs] : world_.sinks()) {
      if (wrong.empty()) wrong = sink(node, epochs);
    }
    return wrong;
  }

 private:
  std::string late_error() const {
    const bool must = graph_.stop == Stop::kBatches && !expected_.late_errors.empty();
    if (!outcome_.error) return must ? "a Sink's error was not reported at the end" : "";
    // An endless run is evaluated as far as the consumer reads; a Sink may have failed beyond.
    const bool beyond = graph_.stop == Stop::kEndless &&
                        int64_t{outcome_.error->origin.epoch} > int64_t{graph_.stop_after};
    if (beyond) return "";
    for (const ExpectedError& late : expected_.late_errors) {
      if (is_error(late, graph_, *outcome_.error)) return "";
    }
    return "an error after the stop: " + text_of(*outcome_.error);
  }

  std::string end() const {
    const auto& error = outcome_.error;
    if (expected_.empty_epoch_error) return error ? "" : "an epoch without a batch was no error";
    if (expected_.stopped) return late_error();
    if (expected_.error) {
      if (!error) return "no error, expected " + text_of(*expected_.error, graph_);
      if (!is_error(*expected_.error, graph_, *error)) {
        return "error " + text_of(*error) + ", expected " + text_of(*expected_.error, graph_);
      }
    } else if (error) {
      return "error " + text_of(*error) + ", expected none";
    } else if (!outcome_.ended) {
      return "no end";
    }
    if (outcome_.epoch_ends != expected_.epoch_ends) {
      return std::to_string(outcome_.epoch_ends) + " epoch ends, expected " +
             std::to_string(expected_.epoch_ends);
    }
    return "";
  }

  /// Under `any` an error keeps its epoch only, and a stop may come before it or after it.
  std::string unordered_end() const {
    if (graph_.stop_after >= 0) return "";
    const auto& error = outcome_.error;
    if (error.has_value() != expected_.error.has_value()) {
      return error ? "error " + text_of(*error) + ", expected none" : "no error, expected one";
    }
    if (error && error->origin.epoch != expected_.error->epoch) return "error in another epoch";
    return "";
  }

  std::string consumer() const {
    if (graph_.any) {
      const Epochs full = whole(graph_.consumer);
      const bool cut = outcome_.error || graph_.stop_after >= 0;
      return bags("consumer", outcome_.consumer, full, cut ? last_epoch() : full.size());
    }
    const size_t count = std::max(outcome_.consumer.size(), expected_.consumer.size());
    for (size_t epoch = 0; epoch < count; ++epoch) {
      const auto& got = epoch_of(outcome_.consumer, epoch);
      const auto& want = epoch_of(expected_.consumer, epoch);
      if (got != want) return difference("consumer", epoch, got, want);
    }
    return "";
  }

  size_t last_epoch() const { return outcome_.consumer.empty() ? 0 : outcome_.consumer.size() - 1; }

  Epochs whole(int node) const {
    Epochs all;
    for (const auto& epoch : expected_.entries[static_cast<size_t>(node)]) {
      all.emplace_back();
      for (const Entry& entry : epoch) {
        if (entry.kind == Entry::Kind::kItem) all.back().push_back({entry.samples, entry.values});
      }
    }
    return all;
  }

  /// An endless run is evaluated as far as the consumer reads; a Sink may be ahead of it.
  size_t epochs(const Epochs& got, const Epochs& want) const {
    const bool endless = graph_.stop_after >= 0 && graph_.stop == Stop::kEndless;
    return endless ? want.size() : std::max(got.size(), want.size());
  }

  /// Multisets: equal before epoch `full`, a part of what was expected from there on.
  std::string bags(const std::string& who, const Epochs& got, const Epochs& want,
                   size_t full) const {
    for (size_t epoch = 0; epoch < epochs(got, want); ++epoch) {
      const auto a = multiset(epoch_of(got, epoch)), b = multiset(epoch_of(want, epoch));
      if (epoch < full ? a != b : !std::includes(b.begin(), b.end(), a.begin(), a.end())) {
        return who + ", epoch " + std::to_string(epoch) + ": another multiset, " +
               std::to_string(a.size()) + " values of " + std::to_string(b.size());
      }
    }
    return "";
  }

  /// A Sink with one slot is called in order; with several, bodies overtake each other.
  std::string sink(int node, const Epochs& got) const {
    const std::string who = id_of(graph_, node);
    const Epochs& want = expected_.sinks.at(node);
    size_t full = expected_.full_epochs;
    if (graph_.any && graph_.stop_after >= 0 && graph_.stop != Stop::kBatches) full = last_epoch();
    if (graph_.any && outcome_.error) full = std::min<size_t>(full, outcome_.error->origin.epoch);
    if (graph_.any) return bags(who, got, want, full);
    const bool ordered = graph_.nodes[static_cast<size_t>(node)].concurrency == 1;
    for (size_t epoch = 0; epoch < epochs(got, want); ++epoch) {
      auto a = epoch_of(got, epoch), b = epoch_of(want, epoch);
      if (!ordered) {
        std::sort(a.begin(), a.end());
        std::sort(b.begin(), b.end());
      }
      const bool part = ordered ? a.size() <= b.size() && std::equal(a.begin(), a.end(), b.begin())
                                : std::includes(b.begin(), b.end(), a.begin(), a.end());
      if (!part || (epoch < full && a.size() != b.size())) return difference(who, epoch, a, b);
    }
    return "";
  }

  static std::string difference(const std::string& who, size_t epoch, std::vector<Received> got,
                                std::vector<Received> want) {
    const std::string head = who + ", epoch " + std::to_string(epoch) + ": got " +
                             std::to_string(got.size()) + " items, expected " +
                             std::to_string(want.size());
    const size_t common = std::min(got.size(), want.size());
    const auto end = got.begin() + static_cast<std::ptrdiff_t>(common);
    const auto first = std::mismatch(got.begin(), end, want.begin()).first - got.begin();
    std::sort(got.begin(), got.end());
    std::sort(want.begin(), want.end());
    return head + (got == want ? ", in another order" : "") + ", first different: item " +
           std::to_string(first);
  }

  World& world_;
  const GraphCase& graph_;
  const Expected& expected_;
  const Outcome& outcome_;
};

/// What may be alive beyond the bound of the engine: a collate's result next to its group, the
/// batch in the consumer's hands.
int64_t slack(const GraphCase& graph) {
  int64_t slack = 2;
  for (const CaseNode& node : graph.nodes) {
    if (node.step == Step::kCollate) slack += node.concurrency;
  }
  return slack;
}

std::string check_flight(const World& world) {
  if (world.tokens.live() != 0) {
    return std::to_string(world.tokens.live()) + " items alive after the run";
  }
  const int64_t bound = item_bound(world.graph) + slack(world.graph);
  if (world.tokens.live_max() <= bound) return "";
  return std::to_string(world.tokens.live_max()) + " items in flight, the bound is " +
         std::to_string(bound);
}

}  // namespace

std::vector<Mode> all_modes(uint64_t seed, int seeded) {
  std::vector<Mode> modes;
  for (int threads : {1, 2, 4}) {
    Mode mode{"threads " + std::to_string(threads), {}, scramble(seed, 3) | 1};
    mode.options.threads = threads;
    modes.push_back(std::move(mode));
  }
  Mode full{"upstream first", {}, scramble(seed, 5) | 1};
  full.options.scheduling = Scheduling::kUpstreamFirst;
  full.options.threads = 2;
  modes.push_back(std::move(full));
  Mode mode{"inline", {}, 0};
  mode.options.scheduling = Scheduling::kInline;
  modes.push_back(mode);
  for (int i = 0; i < seeded; ++i) {
    mode.options.scheduling = Scheduling::kSeeded;
    mode.options.schedule_seed = scramble(seed, static_cast<uint64_t>(i)) >> 32;
    mode.name = "schedule " + std::to_string(mode.options.schedule_seed);
    modes.push_back(mode);
  }
  return modes;
}

Outcome run_case(World* world, std::shared_ptr<const Plan> plan, const RunOptions& options) {
  Outcome outcome;
  RunOptions recorded = options;
  recorded.recording = Recording::kAll;
  const auto run = RunImpl::start(std::move(plan), recorded);
  Reader(world, run.get(), &outcome).read();
  outcome.snapshot = run->snapshot();
  outcome.status = run->status();
  std::string broken = check_identities(outcome.snapshot, true);
  if (broken.empty()) broken = check_firings(outcome.snapshot, run->take_firings());
  if (!broken.empty()) outcome.troubles.push_back("at the end: " + broken);
  return outcome;
}

std::string compare(World& world, const Expected& expected, const Outcome& outcome) {
  return Comparison(world, expected, outcome).run();
}

std::string try_graph(const GraphCase& graph, const Mode& mode) {
  World world(graph);
  std::string mistakes;
  const auto plan = world.plan(&mistakes);
  if (plan == nullptr) return "refused: " + mistakes;
  world.jitter = mode.jitter;
  RunOptions options = mode.options;
  const Outcome outcome = run_case(&world, plan, options);
  const std::string wrong = compare(world, evaluate(graph), outcome);
  return wrong.empty() ? check_flight(world) : wrong;
}

std::string explain(const GraphCase& graph, const Mode& mode, const std::string& failure,
                    bool shrink) {
  std::string text = mode.name + ": " + failure + "\n" + describe(graph);
  if (!shrink) return text;
  std::string last;
  const auto fails = [&](const GraphCase& candidate) {
    for (int tries = 0; tries < 3; ++tries) {
      const std::string wrong = try_graph(candidate, mode);
      if (wrong.rfind("refused", 0) == 0) return false;
      if (!wrong.empty()) last = wrong;
      if (!wrong.empty()) return true;
    }
    return false;
  };
  const GraphCase small = minimise(graph, fails);
  return text + "smallest that fails: " + last + "\n" + describe(small);
}

}  // namespace penstock::testing
