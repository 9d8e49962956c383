#include "diagnose/critical_path.h"

#include <doctest/doctest.h>

#include <numeric>

using namespace penstock;

namespace {

constexpr uint64_t id_of(uint64_t unit, uint64_t count) { return unit << 40 | count; }

/// A chain of `units`, the last of them into the consumer.
GraphFacts chain(int units) {
  GraphFacts graph;
  for (int u = 0; u < units; ++u) {
    UnitFacts facts;
    facts.id = std::string(1, static_cast<char>('a' + u));
    if (u > 0) facts.in_edges = {u - 1};
    facts.out_edges = {u};
    graph.units.push_back(facts);
    graph.edges.push_back({u, u + 1, 1});
  }
  return graph;
}

/// A firing that begins as soon as it can and is gone when its body ends.
FiringRecord firing(uint16_t unit, uint64_t count, int64_t free, int64_t start, int64_t end,
                    uint64_t enabler = 0) {
  FiringRecord record;
  record.firing = id_of(unit, count);
  record.enabler = enabler;
  record.unit = unit;
  record.free = free;
  record.in = record.ready = record.start = start;
  record.end = record.held = record.head = record.room = record.done = end;
  record.has_body = true;
  return record;
}

void check_sum(const PathBlame& blame) {
  const int64_t nodes = std::accumulate(blame.nodes.begin(), blame.nodes.end(), int64_t{0});
  CHECK(nodes + blame.consumer + blame.threads + blame.memory + blame.engine + blame.unknown ==
        blame.total);
}

}  // namespace

TEST_CASE("a slow source is blamed for all that the consumer waits for") {
  // `a` makes one in 10, `b` passes it on in 2, the consumer works 3.
  FiringLog log;
  for (int64_t i = 1; i <= 20; ++i) {
    log.firings.push_back(firing(0, i, 10 * (i - 1), 10 * (i - 1), 10 * i));
    log.firings.push_back(firing(1, i, 10 * i - 8, 10 * i, 10 * i + 2, id_of(0, i)));
    log.deliveries.push_back({id_of(1, i), 10 * i - 5, 10 * i + 2, 1});
  }
  const PathBlame blame = critical_path(chain(2), log, 0, 1000);
  check_sum(blame);
  CHECK(blame.batches == 19);
  CHECK(blame.total == 190);
  CHECK(blame.nodes[0] == 188);
  CHECK(blame.nodes[1] == 2);  // of the last batch: before it, `a` was at the next one
}

TEST_CASE("a consumer that finds every batch ready is blamed itself") {
  FiringLog log;
  for (int64_t i = 1; i <= 20; ++i) {
    log.firings.push_back(firing(0, i, 10 * (i - 1), 10 * (i - 1), 10 * (i - 1) + 1));
    log.deliveries.push_back({id_of(0, i), 10 * i, 10 * i, 1});
  }
  const PathBlame blame = critical_path(chain(1), log, 0, 1000);
  check_sum(blame);
  CHECK(blame.consumer == blame.total);
}

TEST_CASE("time without a thread is the threads', and room is made by who takes") {
  // One unit whose firings wait 4 for a thread and work 6; then one that blocks on the consumer.
  FiringLog log;
  for (int64_t i = 1; i <= 10; ++i) {
    FiringRecord record = firing(0, i, 10 * (i - 1), 10 * (i - 1), 10 * i);
    record.start += 4;
    log.firings.push_back(record);
    log.deliveries.push_back({id_of(0, i), 10 * i - 3, 10 * i, 1});
  }
  const PathBlame waits = critical_path(chain(1), log, 0, 1000);
  check_sum(waits);
  CHECK(waits.threads == 36);
  CHECK(waits.nodes[0] == 54);

  FiringLog blocked;
  for (int64_t i = 1; i <= 10; ++i) {
    // `a` ends early and is blocked until `b` is free again; `b` works all the time.
    FiringRecord a = firing(0, i, 10 * (i - 1), 10 * (i - 1), 10 * (i - 1) + 1);
    a.room = a.done = 10 * i;
    blocked.firings.push_back(a);
    blocked.firings.push_back(firing(1, i, 10 * i, 10 * i, 10 * (i + 1), id_of(0, i)));
    blocked.deliveries.push_back({id_of(1, i), 10 * i + 1, 10 * (i + 1), 1});
  }
  const PathBlame blame = critical_path(chain(2), blocked, 0, 1000);
  check_sum(blame);
  CHECK(blame.nodes[1] == blame.total);
}

TEST_CASE("in order, the straggler is blamed and not who waits for it") {
  FiringLog log;
  // Two slots: the first firing takes 20, the second is finished at 5 and held until 20.
  log.firings.push_back(firing(0, 1, 0, 0, 20));
  FiringRecord held = firing(0, 2, 0, 0, 5);
  held.held = held.head = held.room = held.done = 20;
  held.slot = 1;
  log.firings.push_back(held);
  log.deliveries = {{id_of(0, 0), 0, 0, 1}, {id_of(0, 1), 1, 20, 1}, {id_of(0, 2), 20, 20, 1}};
  const PathBlame blame = critical_path(chain(1), log, 0, 1000);
  check_sum(blame);
  CHECK(blame.nodes[0] == 20);
}

TEST_CASE("of two branches the one that was last is blamed") {
  // read -> left (8) and right (2) -> join, whose last input is left's.
  GraphFacts graph = chain(4);
  graph.edges = {{0, 1, 1}, {0, 2, 1}, {1, 3, 1}, {2, 3, 1}, {3, 4, 1}};
  graph.units[0].out_edges = {0, 1};
  graph.units[1].in_edges = {0};
  graph.units[1].out_edges = {2};
  graph.units[2].in_edges = {1};
  graph.units[2].out_edges = {3};
  graph.units[3].in_edges = {2, 3};
  graph.units[3].out_edges = {4};
  FiringLog log;
  for (int64_t i = 1; i <= 10; ++i) {
    const int64_t t = 8 * i;
    log.firings.push_back(firing(0, i, t - 8, t - 8, t - 7));
    log.firings.push_back(firing(1, i, t, t, t + 8, id_of(0, i)));
    log.firings.push_back(firing(2, i, t - 6, t, t + 2, id_of(0, i)));
    log.firings.push_back(firing(3, i, t + 1, t + 8, t + 9, id_of(1, i)));
    log.deliveries.push_back({id_of(3, i), t + 2, t + 9, 1});
  }
  const PathBlame blame = critical_path(graph, log, 0, 1000);
  check_sum(blame);
  CHECK(blame.nodes[1] == blame.total - 1);
  CHECK(blame.nodes[2] == 0);
}

TEST_CASE("what was not recorded is unknown, and stretches are apart") {
  FiringLog log;
  log.deliveries = {{id_of(0, 5), 0, 10, 1},
                    {id_of(0, 6), 11, 20, 1},
                    {id_of(0, 90), 500, 600, 1},
                    {id_of(0, 91), 601, 605, 1}};
  log.firings = {firing(0, 6, 12, 12, 20)};
  const PathBlame blame = critical_path(chain(1), log, 0, 1000);
  check_sum(blame);
  CHECK(blame.batches == 2);
  CHECK(blame.total == 15);
  CHECK(blame.nodes[0] == 8);
  CHECK(critical_path(chain(1), {}, 0, 1000).total == 0);
}

TEST_CASE("the path agrees with a limit that has the largest part of it") {
  Costs costs;
  costs.nodes.resize(2);
  costs.nodes[0].facts = {.id = "read", .op = "", .pooled = false};
  costs.nodes[0].off_ms = 1;
  costs.nodes[1].facts = {.id = "decode", .op = "", .pooled = true};
  costs.nodes[1].cpu_ms = 1;
  costs.consumer.off_ms = 1;
  PathBlame blame;
  blame.nodes = {300, 500};
  blame.consumer = 100;
  blame.threads = 100;
  blame.total = 1000;
  blame.batches = 10;
  struct Row {
    std::string limit;
    std::vector<std::string> nodes;
    Agreement agreement;
  };
  for (const Row& row :
       {Row{"node", {"decode"}, Agreement::kAgrees}, Row{"node", {"read"}, Agreement::kDisagrees},
        Row{"order", {"decode"}, Agreement::kAgrees},
        Row{"consumer", {"consumer"}, Agreement::kDisagrees},
        Row{"cpu", {"decode"}, Agreement::kAgrees}, Row{"threads", {}, Agreement::kAgrees},
        Row{"co_limited", {"read", "decode"}, Agreement::kAgrees},
        Row{"co_limited", {"read", "cpu"}, Agreement::kAgrees},
        Row{"co_limited", {"read", "consumer"}, Agreement::kDisagrees},
        Row{"variance", {"decode"}, Agreement::kUnknown}}) {
    CHECK(agreement_of(costs, blame, row.limit, row.nodes) == row.agreement);
  }
  costs.nodes[1].cpu_ms = 0.1;
  costs.nodes[1].off_ms = 0.9;
  CHECK(agreement_of(costs, blame, "cpu", {}) == Agreement::kDisagrees);
  blame.batches = 9;
  CHECK(agreement_of(costs, blame, "cpu", {}) == Agreement::kUnknown);
  blame.batches = 10;
  blame.unknown = 400;
  CHECK(agreement_of(costs, blame, "cpu", {}) == Agreement::kUnknown);
}

TEST_CASE("shares of a path are by cause, the largest first") {
  PathBlame blame;
  blame.nodes = {25, 50};
  blame.engine = 25;
  blame.total = 100;
  const auto shares = shares_of(chain(2), blame);
  REQUIRE(shares.size() == 3);
  CHECK(shares[0].cause == "b");
  CHECK(shares[0].share == 0.5);
}
