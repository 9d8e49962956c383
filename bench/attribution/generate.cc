#include "attribution/generate.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "attribution/draw.h"

namespace penstock::bench::attribution {
namespace {

constexpr double kLongestMs = 8;    // of a body
constexpr double kCpuSpare = 1.15;  // of the CPU bound, beyond the margin
constexpr double kOrderLoad = 0.6;  // of the straggler's slots, so that its turn is what limits

struct Class {
  const char* name;
  int share;  // of 100 seeds that follow each other
};
// Half of them must not be blamed on any node.
constexpr Class kClasses[] = {{"none", 23},   {"consumer", 25}, {"cpu", 10},    {"threads", 9},
                              {"collate", 9}, {"diamond", 9},   {"slot_io", 5}, {"slot_cpu", 4},
                              {"order", 3},   {"two_equal", 3}};

class Generator {
 public:
  explicit Generator(uint64_t seed) : draw_(seed) { case_.seed = seed; }

  PipelineCase make() {
    case_.planted = class_of(case_.seed);
    case_.margin = draw_.one_of({1.05, 1.2, 1.5, 2.0});
    case_.period_ms = draw_.uniform(4, 6);
    case_.cpus = draw_.chance(0.6) ? 1 : 2;
    topology();
    calls_ = calls_per_batch(case_);
    load_.assign(case_.nodes.size() + 1, 0);
    cpu_part_.assign(load_.size(), 0);
    for (size_t n = 0; n < size(); ++n) {
      if (!is_joint(n)) loaded_.push_back(n);
    }
    draw_loads();
    draw_kinds();
    plant();
    keep_cpu_spare();
    set_costs();
    set_threads();
    draw_rest();
    return std::move(case_);
  }

 private:
  size_t size() const { return case_.nodes.size(); }
  size_t consumer() const { return case_.nodes.size(); }
  bool is(const char* planted) const { return case_.planted == planted; }
  bool is_joint(size_t n) const {
    return case_.nodes[n].role == Role::kZip || case_.nodes[n].role == Role::kMerge;
  }

  /// By the seed's place in its hundred, mixed, so that few seeds have every class too.
  static std::string class_of(uint64_t seed) {
    constexpr uint64_t kStep = 37;  // has no divisor in common with 100
    int at = static_cast<int>(seed % 100 * kStep % 100);
    for (const Class& one : kClasses) {
      if (at < one.share) return one.name;
      at -= one.share;
    }
    return "none";
  }

  size_t add(Role role, std::vector<size_t> from) {
    NodeCase node;
    node.role = role;
    node.id = name_of(role) + std::to_string(size());
    node.from = std::move(from);
    node.slots = draw_.one_of({1, 1, 2, 2, 3, 4, 8, 16});
    if (role == Role::kCollate) node.slots = draw_.one_of({1, 1, 2});
    if (role == Role::kZip || role == Role::kMerge) node.slots = 1;
    if (role == Role::kExpand) node.slots = std::min(node.slots, 4);
    case_.nodes.push_back(std::move(node));
    return size() - 1;
  }

  void topology() {
    size_t last = add(Role::kSource, {});
    if (!is("diamond") && draw_.chance(0.15)) {
      const size_t other = add(Role::kSource, {});
      last = add(Role::kMerge, {last, other});
    }
    for (int maps = draw_.between(0, 2); maps > 0; --maps) last = add(Role::kMap, {last});
    if (draw_.chance(0.15)) {
      last = add(Role::kExpand, {last});
      case_.nodes[last].children = draw_.between(2, 4);
    }
    if (draw_.chance(0.2)) {
      last = add(Role::kFilter, {last});
      case_.nodes[last].keep = draw_.one_of({0.5, 0.75, 0.8});
    }
    if (is("diamond") || draw_.chance(0.12)) last = diamond(last);
    const bool plain = size() < 3;
    for (int maps = draw_.between(plain ? 1 : 0, 2); maps > 0; --maps) {
      last = add(Role::kMap, {last});
    }
    last = add(Role::kCollate, {last});
    case_.nodes[last].batch = draw_.one_of({2, 4, 4, 6, 8});
    collate_ = last;
    if (draw_.chance(0.4)) add(Role::kMap, {last});
  }

  size_t diamond(size_t fork) {
    std::vector<size_t> ends;
    for (int branch = 0; branch < 2; ++branch) {
      size_t last = fork;
      for (int maps = draw_.between(1, 2); maps > 0; --maps) {
        last = add(Role::kMap, {last});
        case_.nodes[last].in_branch = true;
      }
      ends.push_back(last);
    }
    return add(Role::kZip, std::move(ends));
  }

  /// Utilisation of each node and of the consumer where the planted limit has 1.
  void draw_loads() {
    const double most = 1 / case_.margin;
    for (const size_t n : loaded_) load_[n] = draw_.uniform(0.15, 0.95 * most);
    load_[consumer()] = draw_.uniform(0.1, 0.9 * most);
    std::vector<size_t> others = loaded_;
    others.push_back(consumer());
    load_[others[draw_.next() % others.size()]] = most;
  }

  void draw_kinds() {
    for (const size_t n : loaded_) {
      const int kind = draw_.below(20);
      case_.nodes[n].io = kind < 12;
      cpu_part_[n] = kind < 9 ? 0 : kind < 12 ? draw_.uniform(0.2, 0.6) : 1;
    }
    cpu_part_[consumer()] = draw_.one_of({0.0, 0.0, 0.5, 1.0});
  }

  size_t pick(bool in_branch) {
    std::vector<size_t> from;
    for (const size_t n : loaded_) {
      if (case_.nodes[n].in_branch == in_branch && n != collate_) from.push_back(n);
    }
    return from[draw_.next() % from.size()];
  }

  void limit_by(size_t n) {
    load_[n] = 1;
    case_.limiters.push_back(n == consumer() ? "consumer" : case_.nodes[n].id);
    fixed_.push_back(n);
  }

  void make_io(size_t n, double cpu_part) {
    if (n < size()) case_.nodes[n].io = true;
    cpu_part_[n] = cpu_part;
  }

  void plant() {
    if (is("none") || is("two_equal")) return plant_equal(is("none") ? draw_.between(3, 5) : 2);
    if (is("cpu")) return plant_cpu();
    if (is("threads")) return plant_threads();
    if (is("order")) return plant_order();
    if (is("consumer")) {
      limit_by(consumer());
      if (case_.cpus == 1) cpu_part_[consumer()] = draw_.one_of({0.0, 0.3, 0.4});
      if (case_.cpus == 2) cpu_part_[consumer()] = draw_.one_of({0.0, 0.5, 1.0});
      return;
    }
    const size_t limiter = is("collate") ? collate_ : pick(is("diamond"));
    limit_by(limiter);
    if (is("slot_io")) return make_io(limiter, draw_.one_of({0.0, 0.0, 0.2}));
    const bool computes = is("slot_cpu") || draw_.chance(0.4);
    if (!computes) return make_io(limiter, draw_.one_of({0.0, 0.3}));
    case_.cpus = 2;
    case_.nodes[limiter].slots = 1;
    case_.nodes[limiter].io = false;
    cpu_part_[limiter] = 1;
  }

  /// So many resources at the same bound.
  void plant_equal(int count) {
    std::vector<size_t> all = loaded_;
    all.push_back(consumer());
    draw_.shuffle(&all);
    for (size_t i = 0; i < all.size(); ++i) {
      if (i < static_cast<size_t>(count)) {
        limit_by(all[i]);
        make_io(all[i], 0);
      } else {
        load_[all[i]] = std::min(load_[all[i]], 0.7);
      }
    }
    case_.margin = 1;
  }

  /// Demands on one resource with `places` that sum to `sum` periods; the largest by the margin.
  void share(double sum, const std::vector<size_t>& users) {
    std::vector<double> parts;
    for (size_t i = 0; i < users.size(); ++i) parts.push_back(draw_.uniform(0.3, 1));
    parts.front() = *std::max_element(parts.begin(), parts.end()) * case_.margin;
    double all = 0;
    for (const double part : parts) all += part;
    for (size_t i = 0; i < users.size(); ++i) {
      const size_t n = users[i];
      const double places = sum * parts[i] / all;
      NodeCase& node = case_.nodes[n];
      node.slots = static_cast<int>(std::ceil(places * case_.margin - 1e-9)) + draw_.below(2);
      load_[n] = places / node.slots;
      fixed_.push_back(n);
    }
  }

  /// Nodes that share a resource: maps and sources, all others elsewhere.
  std::vector<size_t> draw_users() {
    std::vector<size_t> users;
    for (const size_t n : loaded_) {
      if (case_.nodes[n].role != Role::kExpand) users.push_back(n);
    }
    draw_.shuffle(&users);
    users.resize(std::min<size_t>(users.size(), static_cast<size_t>(draw_.between(2, 4))));
    for (const size_t n : loaded_) make_io(n, 0);
    for (const size_t n : users) case_.nodes[n].io = false;
    return users;
  }

  void plant_cpu() {
    case_.limiters = {"cpu"};
    const std::vector<size_t> users = draw_users();
    for (const size_t n : users) cpu_part_[n] = 1;
    double left = case_.cpus;
    cpu_part_[consumer()] = draw_.one_of({0.0, 0.0, 1.0});
    fixed_.push_back(consumer());
    left -= cpu_part_[consumer()] * load_[consumer()];
    share(left, users);
  }

  void plant_threads() {
    case_.limiters = {"threads"};
    case_.threads = draw_.one_of({1, 2, 2, 3});
    const std::vector<size_t> users = draw_users();
    const double part = draw_.one_of({0.0, 0.0, 0.2});
    for (const size_t n : users) cpu_part_[n] = part;
    share(case_.threads, users);
  }

  void plant_order() {
    const size_t limiter = pick(false);
    limit_by(limiter);
    make_io(limiter, 0);
    NodeCase& node = case_.nodes[limiter];
    node.slots = draw_.one_of({4, 6, 8});
    if (node.role == Role::kExpand) node.slots = 4;
    node.spread.shape = "straggler";
    for (double& load : load_) load = std::min(load, 0.45);
    load_[limiter] = kOrderLoad;
  }

  bool is_fixed(size_t n) const {
    return std::find(fixed_.begin(), fixed_.end(), n) != fixed_.end();
  }

  double cpu_demand(size_t n) const {
    return load_[n] * cpu_part_[n] * (n < size() ? case_.nodes[n].slots : 1);
  }

  /// The CPU has the margin too, where it is not the limit: the hungriest nodes wait instead.
  void keep_cpu_spare() {
    if (is("cpu")) return;
    const auto most = [this] { return case_.cpus / (kCpuSpare * std::max(case_.margin, 1.1)); };
    for (;;) {
      double sum = 0;
      std::optional<size_t> hungriest;
      for (size_t n = 0; n < load_.size(); ++n) {
        sum += cpu_demand(n);
        if (is_fixed(n) || cpu_demand(n) <= 0) continue;
        if (!hungriest || cpu_demand(n) > cpu_demand(*hungriest)) hungriest = n;
      }
      if (sum <= most()) return;
      if (hungriest) {
        make_io(*hungriest, 0);
        continue;
      }
      for (const size_t n : fixed_) cpu_part_[n] *= 0.5 * most() / sum;
    }
  }

  void set_costs() {
    for (const size_t n : loaded_) {
      NodeCase& node = case_.nodes[n];
      const auto service = [&] { return load_[n] * node.slots * case_.period_ms / calls_[n]; };
      while (node.slots > 1 && service() > kLongestMs && !is("threads")) --node.slots;
      node.cpu_ms = cpu_part_[n] * service();
      node.off_ms = service() - node.cpu_ms;
    }
    ConsumerCase& consumer_case = case_.consumer;
    const double work = load_[consumer()] * case_.period_ms;
    consumer_case.cpu_ms = cpu_part_[consumer()] * work;
    consumer_case.off_ms = work - consumer_case.cpu_ms;
  }

  void set_threads() {
    if (is("threads")) return;
    double hold = 0;
    for (size_t n = 0; n < size(); ++n) {
      if (!case_.nodes[n].io) hold += case_.nodes[n].service_ms() * calls_[n] / case_.period_ms;
    }
    const double margin = is("cpu") && draw_.chance(0.5) ? 1 : std::max(1.1, case_.margin);
    const int least = static_cast<int>(std::ceil(hold * margin - 1e-6));
    case_.threads = std::max(case_.cpus, least) + draw_.one_of({0, 0, 2});
  }

  Spread draw_spread() {
    const bool even = is("none") || is("two_equal");
    Spread spread;
    const int kind = draw_.below(even ? 14 : 20);
    if (kind < 8) return spread;
    spread.shape = kind < 14 ? "lognormal" : kind < 16 ? "bimodal" : kind < 18 ? "bursty" : "heavy";
    spread.cv = even ? draw_.one_of({0.1, 0.3}) : draw_.one_of({0.1, 0.3, 0.6, 1.0, 2.0});
    spread.by_sample = spread.shape == "heavy" && draw_.chance(0.5);
    return spread;
  }

  void draw_rest() {
    for (NodeCase& node : case_.nodes) {
      node.capacity = draw_.one_of({1, 2, 4, 8});
      if (node.spread.shape == "constant") node.spread = draw_spread();
      // What is reordered before a collate gives other batches of the same cost.
      node.any = !node.in_branch && node.slots > 1 && !is("order") && draw_.chance(0.15) &&
                 (node.role == Role::kMap || node.role == Role::kSource) && !feeds_diamond();
    }
    case_.consumer.capacity = draw_.one_of({1, 2, 4});
    case_.consumer.spread = draw_spread();
  }

  bool feeds_diamond() const {
    return std::any_of(case_.nodes.begin(), case_.nodes.end(),
                       [](const NodeCase& node) { return node.role == Role::kZip; });
  }

  Draw draw_;
  PipelineCase case_;
  std::vector<double> calls_, load_, cpu_part_;
  std::vector<size_t> loaded_, fixed_;
  size_t collate_ = 0;
};

}  // namespace

PipelineCase generate(uint64_t seed) { return Generator(seed).make(); }

}  // namespace penstock::bench::attribution
