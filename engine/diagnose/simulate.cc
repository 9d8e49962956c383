#include "diagnose/simulate.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <numeric>
#include <optional>
#include <queue>
#include <vector>

#include "diagnose/shared_cpus.h"
#include "penstock/random.h"

namespace penstock {
namespace {

constexpr double kFirings = 8000;  // of a run, about
constexpr int kLeastBatches = 60, kMostBatches = 600;
constexpr double kModelError = 0.15;  // of what is gained

/// A uniform number in [0, 1) that depends on its place only.
double uniform_at(uint64_t seed, size_t node, uint64_t firing) {
  return static_cast<double>(mix64(mix64(seed, node + 1), firing) >> 11) * 0x1p-53;
}

/// Which of the recorded firings is played again as the n-th.
size_t traced(size_t count, uint64_t seed, uint64_t firing) {
  const double begin = uniform_at(seed, SIZE_MAX - 1, 0) * static_cast<double>(count);
  return (static_cast<size_t>(begin) + firing) % count;
}

/// How long the n-th of a node's services is, as a part of the mean: its recorded ones are played
/// again from a place that the seed draws, the same part of the way in every node, since what is
/// slow in one may be slow in the next; else one is drawn from its spread.
double factor_at(const std::vector<double>& spread, const std::vector<double>& trace, uint64_t seed,
                 size_t node, uint64_t firing) {
  if (!trace.empty()) return trace[traced(trace.size(), seed, firing)];
  if (spread.empty()) return 1;
  const double u = uniform_at(seed, node, firing);
  return spread[static_cast<size_t>(u * static_cast<double>(spread.size()))];
}

/// Events at times, earliest first.
struct Event {
  double at;
  size_t job;
  bool operator>(const Event& other) const { return at > other.at; }
};
using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

struct Firing {
  size_t thread = 0;
  bool finished = false;
  std::vector<uint64_t> left;  // entries to put, by out-edge
};

struct Node {
  const NodeCosts* costs = nullptr;
  int depth = 0;
  uint64_t dispatched = 0;      // firings so far
  std::vector<uint64_t> taken;  // entries gathered for the next firing, by in-edge
  std::deque<uint64_t> slots;   // indices of firings in dispatch order
  std::deque<uint64_t> ready;   // those of them that wait for a thread
  std::vector<size_t> threads;  // of free slots, where each has its own
  uint64_t started = 0;
};

/// Entries of the n-th firing where each has `each` on average.
uint64_t nth(double each, uint64_t n) {
  const auto upto = [each](uint64_t count) {
    return static_cast<uint64_t>(std::floor(static_cast<double>(count) * each + 1e-6));
  };
  return upto(n + 1) - upto(n);
}

class Simulation {
 public:
  Simulation(const Costs& costs, uint64_t seed)
      : costs_(costs), seed_(seed), cpus_(costs.cpus, threads_of(costs)) {
    size_t next = kItsThread + 1;
    for (int t = 0; t < costs.threads; ++t) pool_.push_back(next++);
    nodes_.resize(costs.nodes.size());
    content_.resize(costs.edges.size(), 0);
    queued_.resize(costs.nodes.size() + 1, 0);
    double visits = 0;
    for (size_t n = 0; n < nodes_.size(); ++n) {
      nodes_[n].costs = &costs.nodes[n];
      if (!costs.nodes[n].facts.pooled) {
        for (int slot = 0; slot < costs.nodes[n].facts.slots; ++slot) {
          nodes_[n].threads.push_back(next++);
        }
      }
      nodes_[n].taken.resize(costs.nodes[n].facts.in_edges.size(), 0);
      visits += costs.nodes[n].visits;
    }
    job_of_.resize(threads_of(costs), 0);
    find_depths();
    hop_ms_ = visits > 0 ? costs.engine_ms / visits : 0;
    const double wanted = kFirings / std::max(1.0, visits);
    batches_ = static_cast<int>(std::clamp<double>(wanted, kLeastBatches, kMostBatches));
  }

  Simulated run() {
    const int warmup = batches_ / 5;
    double began = 0, waited = 0;
    settle();
    while (done_ < batches_ && step()) {
      settle();
      if (done_ == warmup && began == 0) {
        began = now_;
        waited = waited_;
      }
    }
    const int counted = done_ - warmup;
    if (counted <= 0 || now_ <= began) return {};
    for (size_t n = 0; n < queued_.size(); ++n) {
      const auto count = static_cast<double>(n < nodes_.size() ? nodes_[n].started : works_);
      queued_[n] /= std::max(1.0, count);
    }
    return {counted / (now_ - began) * 1e3, (waited_ - waited) / counted, queued_};
  }

 private:
  static constexpr size_t kConsumer = SIZE_MAX, kItsThread = 0;
  struct Job {
    size_t node;
    uint64_t firing;
    size_t thread;
    double off_ms;
  };

  /// The consumer's, the engine's CPU threads, and those of slots, in this order.
  static size_t threads_of(const Costs& costs) {
    size_t count = 1 + static_cast<size_t>(costs.threads);
    for (const NodeCosts& node : costs.nodes) {
      if (!node.facts.pooled) count += static_cast<size_t>(node.facts.slots);
    }
    return count;
  }

  void find_depths() {
    for (size_t round = 0; round < nodes_.size(); ++round) {
      for (const EdgeFacts& edge : costs_.edges) {
        const auto to = static_cast<size_t>(edge.to);
        if (to >= nodes_.size()) continue;
        const int depth = nodes_[static_cast<size_t>(edge.from)].depth + 1;
        nodes_[to].depth = std::max(nodes_[to].depth, depth);
      }
    }
  }

  /// To the next event. False: nothing will ever happen again.
  bool step() {
    const double cpu = now_ + cpus_.until_next();
    const double off = off_.empty() ? INFINITY : off_.top().at;
    if (std::isinf(cpu) && std::isinf(off)) return false;
    const double next = std::max(now_, std::min(cpu, off));
    cpus_.advance(next - now_);
    now_ = next;
    if (cpu > off) {
      const size_t job = off_.top().job;
      off_.pop();
      wake(job);
      return true;
    }
    while (const std::optional<size_t> thread = cpus_.take_done()) {
      const size_t job = job_of_[*thread];
      queued_[std::min(jobs_[job].node, nodes_.size())] += cpus_.take_waited(*thread);
      if (jobs_[job].off_ms > 0) {
        off_.push({now_ + jobs_[job].off_ms, job});
      } else {
        end(job);
      }
    }
    return true;
  }

  void begin(size_t node, uint64_t firing, size_t thread, double cpu_ms, double off_ms) {
    size_t job = jobs_.size();
    if (free_jobs_.empty()) {
      jobs_.push_back({});
    } else {
      job = free_jobs_.back();
      free_jobs_.pop_back();
    }
    jobs_[job] = {node, firing, thread, off_ms};
    job_of_[thread] = job;
    cpus_.compute(thread, cpu_ms);
  }

  /// What has waited for something else than a CPU needs one again: it hands on what it has made,
  /// and its thread goes on with the next sample.
  void wake(size_t job) {
    jobs_[job].off_ms = 0;
    cpus_.compute(jobs_[job].thread, jobs_[job].node == kConsumer ? 0 : hop_ms_);
  }

  void end(size_t job) {
    const Job ended = jobs_[job];
    free_jobs_.push_back(job);
    if (ended.node == kConsumer) {
      consumer_works_ = false;
      wait_began_ = now_;
      ++done_;
      return;
    }
    if (nodes_[ended.node].costs->facts.pooled) pool_.push_back(ended.thread);
    firings_[ended.firing].finished = true;
  }

  void settle() {
    do {
      for (bool moved = true; moved;) {
        moved = feed_consumer();
        for (size_t n = nodes_.size(); n-- > 0;) {
          moved |= emit(nodes_[n]);
          moved |= start(n);
        }
      }
    } while (give_threads());
    cpus_.sleep();
  }

  bool feed_consumer() {
    if (consumer_works_) return false;
    for (size_t e = 0; e < costs_.edges.size(); ++e) {
      if (static_cast<size_t>(costs_.edges[e].to) != nodes_.size() || content_[e] == 0) continue;
      --content_[e];
      waited_ += now_ - wait_began_;
      consumer_works_ = true;
      const ConsumerCosts& costs = costs_.consumer;
      const double factor = factor_at(costs.spread, costs.trace, seed_, nodes_.size(), ++works_);
      begin(kConsumer, 0, kItsThread, costs.cpu_ms * factor,
            costs.off_ms * factor + costs.latency_ms);
      return true;
    }
    return false;
  }

  /// Puts what has room; an ordered node's oldest firing only.
  bool emit(Node& node) {
    bool moved = false;
    for (size_t i = 0; i < node.slots.size();) {
      Firing& firing = firings_[node.slots[i]];
      if (firing.finished && put(node, &firing, &moved)) {
        free_firings_.push_back(node.slots[i]);
        if (!node.costs->facts.pooled) node.threads.push_back(firing.thread);
        node.slots.erase(node.slots.begin() + static_cast<std::ptrdiff_t>(i));
        moved = true;
      } else if (node.costs->facts.ordered) {
        break;
      } else {
        ++i;
      }
    }
    return moved;
  }

  bool put(const Node& node, Firing* firing, bool* moved) {
    bool all = true;
    const std::vector<int>& out = node.costs->facts.out_edges;
    for (size_t i = 0; i < out.size(); ++i) {
      const auto e = static_cast<size_t>(out[i]);
      while (firing->left[i] > 0 && content_[e] < costs_.edges[e].capacity) {
        ++content_[e];
        --firing->left[i];
        *moved = true;
      }
      all &= firing->left[i] == 0;
    }
    return all;
  }

  /// That the node's next firing takes from each in-edge, or puts on each out-edge.
  uint64_t entries(const Node& node, const std::vector<uint32_t>& recorded, double mean) const {
    if (recorded.empty()) return nth(mean, node.dispatched);
    return recorded[traced(recorded.size(), seed_, node.dispatched + 1)];
  }

  uint64_t wanted_from(const Node& node, size_t edge) const {
    const size_t edges = node.costs->facts.in_edges.size();
    const bool in_turn =
        node.costs->taken * static_cast<double>(edges) < 1.5;  // one of them, not all
    if (edges > 1 && in_turn) return node.dispatched % edges == edge ? 1 : 0;
    return entries(node, node.costs->takes, node.costs->taken);
  }

  bool has_all(const Node& node) const {
    const std::vector<int>& in = node.costs->facts.in_edges;
    for (size_t i = 0; i < in.size(); ++i) {
      if (content_[static_cast<size_t>(in[i])] < wanted_from(node, i)) return false;
    }
    return true;
  }

  /// Its outputs that the consumer has not let go of are those of batches that are not done.
  bool has_place(const Node& node) const {
    const int places = node.costs->facts.places;
    return places == 0 ||
           node.dispatched < static_cast<uint64_t>(done_) + static_cast<uint64_t>(places);
  }

  /// Takes inputs while a slot is free; a whole set of them makes a firing. From one edge they are
  /// taken as they come, as a collate does; from several when there are enough in all of them (a
  /// zip), or from each in turn (a merge).
  bool start(size_t n) {
    Node& node = nodes_[n];
    bool moved = false;
    while (static_cast<int>(node.slots.size()) < node.costs->facts.slots && has_place(node)) {
      const size_t edges = node.costs->facts.in_edges.size();
      bool complete = edges <= 1 || has_all(node);
      for (size_t i = 0; i < edges && complete; ++i) {
        const uint64_t wanted = wanted_from(node, i);
        uint64_t& content = content_[static_cast<size_t>(node.costs->facts.in_edges[i])];
        const uint64_t taken = std::min(wanted - node.taken[i], content);
        content -= taken;
        node.taken[i] += taken;
        moved |= taken > 0;
        complete = node.taken[i] >= wanted;
      }
      if (!complete) break;
      dispatch(n);
      moved = true;
    }
    return moved;
  }

  void dispatch(size_t n) {
    Node& node = nodes_[n];
    for (uint64_t& taken : node.taken) taken = 0;
    uint64_t index = firings_.size();
    if (free_firings_.empty()) {
      firings_.emplace_back();
    } else {
      index = free_firings_.back();
      free_firings_.pop_back();
    }
    const uint64_t given = entries(node, node.costs->gives, node.costs->given);
    firings_[index].finished = false;
    firings_[index].left.assign(node.costs->facts.out_edges.size(), given);
    node.slots.push_back(index);
    ++node.dispatched;
    if (node.costs->facts.pooled && node.costs->service_ms() <= 0) {
      // Never a body, as in a merge: the unit's own work, by whoever brings the entry.
      firings_[index].finished = true;
    } else if (node.costs->facts.pooled) {
      node.ready.push_back(index);
    } else {
      firings_[index].thread = node.threads.back();
      node.threads.pop_back();
      run(n, index);
    }
  }

  /// The deepest ready firing first.
  bool give_threads() {
    bool moved = false;
    while (!pool_.empty()) {
      size_t best = nodes_.size();
      for (size_t n = 0; n < nodes_.size(); ++n) {
        if (nodes_[n].ready.empty()) continue;
        if (best == nodes_.size() || nodes_[n].depth >= nodes_[best].depth) best = n;
      }
      if (best == nodes_.size()) break;
      const uint64_t index = nodes_[best].ready.front();
      nodes_[best].ready.pop_front();
      // The one that has ended its work last: it need not be woken.
      firings_[index].thread = pool_.back();
      pool_.pop_back();
      run(best, index);
      moved = true;
    }
    return moved;
  }

  void run(size_t n, uint64_t index) {
    const NodeCosts& costs = *nodes_[n].costs;
    const double factor = factor_at(costs.spread, costs.trace, seed_, n, ++nodes_[n].started);
    const double latency_ms = factor > 0 ? costs.latency_ms : 0;
    const double off_ms = costs.off_ms * factor + costs.copy_ms + latency_ms;
    const double hop_ms = off_ms > 0 ? 0 : hop_ms_;  // else when it is over: see wake()
    begin(n, index, firings_[index].thread, costs.cpu_ms * factor + hop_ms, off_ms);
  }

  const Costs& costs_;
  const uint64_t seed_;
  double hop_ms_ = 0;
  int batches_ = 0, done_ = 0;
  std::vector<double> queued_;  // for a CPU, by node; the consumer's last
  double now_ = 0, waited_ = 0, wait_began_ = 0;
  bool consumer_works_ = false;
  uint64_t works_ = 0;  // that the consumer has begun
  SharedCpus cpus_;
  Events off_;
  std::vector<size_t> pool_;  // CPU threads that have nothing to do
  std::vector<Node> nodes_;
  std::vector<uint64_t> content_, free_firings_;
  std::vector<size_t> free_jobs_, job_of_;  // the latter by thread
  std::vector<Firing> firings_;
  std::vector<Job> jobs_;
};

}  // namespace

Simulated simulate(const Costs& costs, uint64_t seed) { return Simulation(costs, seed).run(); }

std::vector<double> simulated_rates(const Costs& costs) {
  std::vector<double> rates;
  for (uint64_t seed = 0; seed < kReplicates; ++seed) {
    rates.push_back(simulate(costs, seed).batches_per_s);
  }
  return rates;
}

double mean_rate(const std::vector<double>& rates) {
  return std::accumulate(rates.begin(), rates.end(), 0.0) / static_cast<double>(rates.size());
}

double simulated_rate(const Costs& costs) { return mean_rate(simulated_rates(costs)); }

Gain simulated_gain(const Costs& costs, const Costs& changed) {
  return simulated_gain(simulated_rates(costs), changed);
}

Gain simulated_gain(const std::vector<double>& rates, const Costs& changed) {
  std::vector<double> ratios;
  double sum = 0;
  for (const double before : rates) {
    const double after = simulate(changed, ratios.size()).batches_per_s;
    ratios.push_back(before > 0 ? after / before : 1);
    sum += ratios.back();
  }
  constexpr double kT = 1.833;  // 95 % quantile of Student's t with 9 degrees of freedom
  const auto n = static_cast<double>(ratios.size());
  const double mean = sum / n;
  double squares = 0;
  for (const double ratio : ratios) squares += (ratio - mean) * (ratio - mean);
  const double by_chance = kT * std::sqrt(squares / (n * (n - 1)));
  const double width = by_chance + kModelError * std::abs(mean - 1);
  return {mean, mean - width, mean + width};
}

}  // namespace penstock
