#include "measure/run_log.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

using namespace penstock;

TEST_CASE("a full log of batches is thinned and keeps its sums") {
  BatchLog log;
  const auto count = static_cast<int64_t>(3 * BatchLog::kMost + 1);
  for (int64_t i = 1; i <= count; ++i) log.add({i, 1, 2, 3, 4});
  CHECK(log.records().size() <= BatchLog::kMost);
  uint64_t batches = 0;
  int64_t work = 0, before = 0;
  for (const BatchRecord& record : log.records()) {
    batches += record.batches;
    work += record.work_ns;
    CHECK(record.at_ns == before + static_cast<int64_t>(record.batches));
    before = record.at_ns;
  }
  CHECK(static_cast<int64_t>(batches) >= count - 4);
  CHECK(work == static_cast<int64_t>(4 * batches));
}

TEST_CASE("states are kept after each batch at first, then ever farther apart") {
  MarkLog log;
  int64_t now = 0;
  size_t most = 0;
  for (uint64_t batches = 0; batches < 1000; ++batches, now += 2 * MarkLog::kLeastNs) {
    if (!log.due(batches, now)) continue;
    Snapshot mark;
    mark.now = now;
    mark.consumer.batches = batches;
    log.add(mark);
    most = std::max(most, log.marks().size());
  }
  CHECK(most == MarkLog::kMost);
  CHECK(log.marks().front().consumer.batches == 0);
  CHECK(log.marks().back().consumer.batches >= 900);
  CHECK_FALSE(log.due(2000, log.marks().back().now + MarkLog::kLeastNs - 1));
}

TEST_CASE("a list that is full keeps its first, its newer half, and every second of the rest") {
  std::vector<int> list;
  for (int i = 0; i < 1000; ++i) {
    if (list.size() == 8) thin_older_half(&list);
    list.push_back(i);
    REQUIRE(list.front() == 0);
    REQUIRE(list.back() == i);
    REQUIRE(std::is_sorted(list.begin(), list.end()));
    REQUIRE(list.size() <= 8);
  }
  list = {0, 1, 2, 3, 4, 5, 6, 7};
  thin_older_half(&list);
  CHECK(list == std::vector<int>{0, 2, 4, 5, 6, 7});
  list = {0};
  thin_older_half(&list);
  CHECK(list == std::vector<int>{0});
}
