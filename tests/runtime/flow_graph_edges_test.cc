// Why the payload does not travel on the flow graph's own edges: between nodes that compute they
// drop, and the nodes that never drop grow without bound. docs/decisions/0001 cites these cases; if
// one of them fails with a newer oneTBB, read the decision again.
#include <doctest/doctest.h>
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <tuple>

namespace penstock::testing {
namespace {

namespace flow = tbb::flow;
using Function = flow::function_node<int, int>;
using Rejecting = flow::function_node<int, int, flow::rejecting>;

constexpr int kItems = 1000;

int same(int item) { return item; }

TEST_CASE("function_node -> limiter_node drops") {
  flow::graph graph;
  std::atomic<int> out{0};
  Function first(graph, flow::unlimited, same);
  flow::limiter_node<int> limiter(graph, 8);
  Function last(graph, flow::serial, [&](int item) { return ++out, item; });
  flow::make_edge(first, limiter);
  flow::make_edge(limiter, last);
  for (int i = 0; i < kItems; ++i) first.try_put(i);
  graph.wait_for_all();
  CHECK(out == 8);
  // Had anything kept the other items, they would come now.
  for (int i = 0; i < kItems; ++i) limiter.decrementer().try_put(flow::continue_msg());
  graph.wait_for_all();
  CHECK(out == 8);
}

TEST_CASE("function_node -> rejecting function_node drops") {
  flow::graph graph;
  std::atomic<int> out{0}, produced{0};
  // Lightweight: its body runs inside try_put, so that the items come while `last` is busy.
  flow::function_node<int, int, flow::lightweight> first(
      graph, flow::unlimited, [&](int item) noexcept { return ++produced, item; });
  Rejecting last(graph, flow::serial, [&](int item) {
    if (++out == 1) {
      for (int i = 1; i < kItems; ++i) first.try_put(i);
    }
    return item;
  });
  flow::make_edge(first, last);
  first.try_put(0);
  graph.wait_for_all();
  CHECK(produced == kItems);
  CHECK(out == 1);
}

TEST_CASE("multifunction_node -> limiter_node drops, and only its port says so") {
  flow::graph graph;
  std::atomic<int> out{0}, refused{0};
  using Multi = flow::multifunction_node<int, std::tuple<int>>;
  Multi first(graph, flow::serial, [&](const int& item, Multi::output_ports_type& ports) {
    if (!std::get<0>(ports).try_put(item)) ++refused;
  });
  flow::limiter_node<int> limiter(graph, 8);
  flow::function_node<int, int> last(graph, flow::serial, [&](int item) { return ++out, item; });
  flow::make_edge(flow::output_port<0>(first), limiter);
  flow::make_edge(limiter, last);
  for (int i = 0; i < kItems; ++i) CHECK(first.try_put(i));
  graph.wait_for_all();
  CHECK(out == 8);
  CHECK(refused == kItems - 8);
}

TEST_CASE("input_node -> two rejecting nodes drops: a broadcast counts when one took it") {
  constexpr int kMissed = 10;
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 2);
  tbb::task_arena arena(2);
  std::atomic<int> at_left{0}, at_right{0};
  arena.execute([&] {
    flow::graph graph;
    int next = 0;
    flow::input_node<int> first(graph, [&](tbb::flow_control& control) {
      if (next == kItems) control.stop();
      return next == kItems ? 0 : next++;
    });
    Rejecting left(graph, flow::serial, [&](int item) { return ++at_left, item; });
    // Busy with its first item while the other one goes on.
    Rejecting right(graph, flow::serial, [&](int item) {
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (at_left <= kMissed && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
      return ++at_right, item;
    });
    flow::make_edge(first, left);
    flow::make_edge(first, right);
    first.activate();
    graph.wait_for_all();
  });
  CHECK(at_left + at_right <= 2 * kItems - kMissed);
}

TEST_CASE("queue_node takes everything: no pressure on the producer") {
  flow::graph graph;
  std::atomic<int> produced{0}, out{0};
  flow::function_node<int, int> first(graph, flow::unlimited,
                                      [&](int item) { return ++produced, item; });
  flow::queue_node<int> queue(graph);
  flow::limiter_node<int> limiter(graph, 8);
  flow::function_node<int, int> last(graph, flow::serial, [&](int item) { return ++out, item; });
  flow::make_edge(first, queue);
  flow::make_edge(queue, limiter);
  flow::make_edge(limiter, last);
  for (int i = 0; i < kItems; ++i) first.try_put(i);
  graph.wait_for_all();
  CHECK(out == 8);
  // All the rest sits in the queue, 124 times what the limiter allows.
  CHECK(produced - out == kItems - 8);
  int item = 0, held = 0;
  while (queue.try_get(item)) ++held;
  CHECK(held > 100 * 8);
}

}  // namespace
}  // namespace penstock::testing
