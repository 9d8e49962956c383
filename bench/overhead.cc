// The engine's own cost: process CPU per item and node of a chain of six with empty bodies, real
// items, order, clocks, capacity 8; against a plain flow graph without bounds that carries pointers
// to the same items. Each round is plain, one thread, two threads, plain; a round whose two plain
// runs differ by more than 10 % is redone, since shared machines change speed.

#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>

#include "bench_ops.h"
#include "measurement.h"
#include "runtime/run.h"

namespace penstock::bench {
namespace {

constexpr int kNodes = 6;

struct Cost {
  double cpu = 0, wall = 0;  // ns per item and node
};

/// Items of the plain chain: recycled, with the same fields.
class Recycler {
 public:
  Item* take() {
    if (free_ == nullptr) return fill(&store_.emplace_back(std::make_unique<Item>()));
    Item* item = std::exchange(free_, free_->next_free);
    item->fields[0] = image_;
    item->fields[1] = label_;
    return item;
  }
  void give(Item* item) {
    item->fields[0] = Tensor();
    item->fields[1] = Tensor();
    item->next_free = std::exchange(free_, item);
  }

 private:
  Item* fill(std::unique_ptr<Item>* item) {
    (*item)->fields = {image_, label_};
    return item->get();
  }
  const Tensor image_ = Tensor::empty({64, 64, 3}, DType::kUInt8);
  const Tensor label_ = Tensor::empty({1}, DType::kInt64);
  std::vector<std::unique_ptr<Item>> store_;
  Item* free_ = nullptr;
};

Cost plain_chain(int64_t items) {
  namespace flow = tbb::flow;
  using Node = flow::function_node<Item*, Item*>;
  tbb::task_arena arena(1, 0);  // one worker, as the engine has: this thread sleeps
  std::unique_ptr<flow::graph> graph;
  arena.execute([&] { graph = std::make_unique<flow::graph>(); });
  Recycler recycler;
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  int64_t made = 0, ended = 0;
  flow::input_node<Item*> source(*graph, [&](tbb::flow_control& control) -> Item* {
    if (made == items) {
      control.stop();
      return nullptr;
    }
    Item* item = recycler.take();
    item->origin.position = static_cast<uint64_t>(made++);
    return item;
  });
  std::vector<std::unique_ptr<Node>> nodes;
  for (int i = 1; i < kNodes; ++i) {
    const bool last = i == kNodes - 1;
    nodes.push_back(std::make_unique<Node>(*graph, flow::serial, [&, last](Item* item) {
      if (last) {
        recycler.give(item);
        if (++ended == items) {
          std::lock_guard lock(mutex);
          over = true;
          changed.notify_all();
        }
      }
      return item;
    }));
  }
  flow::make_edge(source, *nodes[0]);
  for (size_t i = 1; i < nodes.size(); ++i) flow::make_edge(*nodes[i - 1], *nodes[i]);
  const int64_t cpu = cpu_now(), wall = wall_now();
  arena.enqueue([&] { source.activate(); });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return over; });
  }
  const double per = static_cast<double>(items) * kNodes;
  const Cost cost{static_cast<double>(cpu_now() - cpu) / per,
                  static_cast<double>(wall_now() - wall) / per};
  arena.execute([&] { graph->wait_for_all(); });
  return cost;
}

Cost engine_chain(Engine* engine, const std::shared_ptr<const Plan>& plan, int64_t items,
                  Scheduling scheduling = Scheduling::kThreads) {
  RunOptions options;
  options.engine = engine->impl();
  options.scheduling = scheduling;
  const int64_t cpu = cpu_now(), wall = wall_now();
  const auto run = RunImpl::start(plan, options);
  while (run->next(std::nullopt).kind != Next::Kind::kEnd) {
  }
  const double per = static_cast<double>(items) * kNodes;
  return {static_cast<double>(cpu_now() - cpu) / per, static_cast<double>(wall_now() - wall) / per};
}

/// A source, four maps and a Sink; each body, also the source's and the Sink's, works for
/// `body_ns`.
std::vector<Stage> six_nodes(int64_t items, int64_t body_ns) {
  std::vector<Stage> stages = {{.op = "items", .param = "count", .value = items}};
  for (int i = 1; i < kNodes - 1; ++i) stages.push_back({.op = body_ns > 0 ? "work" : "pass"});
  stages.push_back({.op = "end"});
  for (Stage& stage : stages) stage.work_ns = body_ns;
  return stages;
}

struct Series {
  std::vector<double> plain, one, two, ratio, walls, full, full_ratio;
  int redone = 0;
};

/// The consumer reads every item itself, as fast as it can: each next() may wake the graph.
double consumer_chain(Engine* engine, int64_t items) {
  std::vector<Stage> stages = {{.op = "items", .param = "count", .value = items}};
  for (int i = 1; i < kNodes; ++i) stages.push_back({.op = "pass"});
  return engine_chain(engine, chain(stages), items).cpu;
}

void round(Engine* one, Engine* two, const std::shared_ptr<const Plan>& plan, int64_t items,
           Series* series) {
  for (int tries = 0;; ++tries) {
    const Cost before = plain_chain(items);
    const Cost a = engine_chain(one, plan, items);
    const Cost b = engine_chain(two, plan, items);
    const Cost full = engine_chain(one, plan, items, Scheduling::kUpstreamFirst);
    const Cost after = plain_chain(items);
    const auto [low, high] = std::minmax(before.cpu, after.cpu);
    if (high > 1.1 * low && tries < 20) {
      ++series->redone;
      continue;
    }
    const double plain = (before.cpu + after.cpu) / 2;
    series->plain.push_back(plain);
    series->one.push_back(a.cpu);
    series->two.push_back(b.cpu);
    series->ratio.push_back(a.cpu / plain);
    series->walls.push_back(b.wall / a.wall);
    series->full.push_back(full.cpu);
    series->full_ratio.push_back(full.cpu / plain);
    return;
  }
}

}  // namespace

Result measure_overhead(const Settings& settings) {
  const int rounds = settings.rounds > 0 ? settings.rounds : 15;
  const int64_t items = 100000;
  Engine one({.threads = 1}), two({.threads = 2});
  const auto plan = chain_to_sink(six_nodes(items, 0));
  engine_chain(&one, plan, items);
  engine_chain(&two, plan, items);
  Series empty, us;
  for (int i = 0; i < rounds; ++i) round(&one, &two, plan, items, &empty);
  const int64_t fewer = items / 10;
  const auto work = chain_to_sink(six_nodes(fewer, 1000));
  for (int i = 0; i < rounds; ++i) round(&one, &two, work, fewer, &us);
  std::vector<double> consumer;
  for (int i = 0; i < std::max(1, rounds / 3); ++i) {
    consumer.push_back(consumer_chain(&one, items / 4));
  }
  Result result;
  result.value = median(empty.one);
  result.unit = "ns of process CPU per item and node";
  result.baseline = median(empty.plain);
  result.baseline_name = "plain chain of function_node";
  result.ratio = median(empty.ratio);
  result.detail["one_thread_ns"] = spread(empty.one);
  result.detail["two_threads_cpu_ns"] = spread(empty.two);
  result.detail["plain_ns"] = spread(empty.plain);
  result.detail["ratio"] = spread(empty.ratio);
  result.detail["two_threads_wall_ratio_empty_bodies"] = spread(empty.walls);
  result.detail["two_threads_wall_ratio_1us_bodies"] = spread(us.walls);
  result.detail["edges_full_ns"] = spread(empty.full);
  result.detail["edges_full_ratio"] = spread(empty.full_ratio);
  result.detail["consumer_reads_every_item_ns"] = spread(consumer);
  result.detail["rounds_redone"] = empty.redone + us.redone;
  return result;
}

}  // namespace penstock::bench
