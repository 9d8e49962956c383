#include <doctest/doctest.h>

#include <clocale>
#include <nlohmann/json.hpp>
#include <string>

#include "penstock/report.h"
#include "report/words.h"

using namespace penstock;

namespace {

NodeReport decode_node() {
  NodeReport node;
  node.id = "decode";
  node.op = "decode_image";
  node.where = "train.yaml:12:5";
  node.kind = "cpu";
  node.concurrency = 2;
  node.items_in = node.items_out = node.firings = 7680;
  node.service_ms = {100, 1.9, 1.8, 2.6, 7.7};
  node.cpu_ms_mean = 1.85;
  node.share.starved = 0.02;
  node.share.thread_wait = 0.05;
  node.share.on_cpu = 0.8;
  node.share.run_queue = 0.02;
  node.share.off_cpu = 0.01;
  node.share.blocked = 0.1;
  node.starved_by = {{"read", 0.02}};
  node.blocked_by = {{"augment", 0.1}};
  return node;
}

NodeReport read_node() {
  NodeReport node;
  node.id = "read";
  node.op = "read_folder";
  node.where = "train.yaml:9:5";
  node.kind = "blocking";
  node.concurrency = 8;
  node.items_out = node.firings = 7712;
  node.service_ms = {100, 0.0412, 0.03, 0.1, 3.25};
  node.cpu_ms_mean = 0.02;
  node.share.on_cpu = 0.125;
  node.share.off_cpu = 0.125;
  node.share.blocked = 0.75;
  node.blocked_by = {{"decode", 0.75}};
  return node;
}

Report example() {
  Report report;
  report.pipeline = "photos-train";
  report.plan = "0123456789abcdef";
  report.seed = 17;
  report.epochs = 1;
  report.machine = {2, {0, 1}, std::nullopt, "", "2021.8"};
  report.window_seconds = 4.2;
  report.batches = 120;
  report.examples = 7680;
  report.warmup_batches = 8;
  report.steady = true;
  report.examples_per_s = 1828.5;
  report.first_batch_ms = 212.4;
  report.wait_ms = {120, 1.2, 0.4, 5.0, 9.1};
  report.work_ms = {120, 33.0, 33.0, 33.4, 34.0};
  report.work_reference_ms = 32.8;
  report.wait_fraction = 0.035;
  report.consumer = {"spin", 33, 1000000};
  report.nodes = {read_node(), decode_node()};
  EdgeReport edge{"read", "decode", 32, 268435456, 30.9, 32, 0.0, 0.9, 3812345, 7712, 7680};
  edge.content_end = 32;
  report.edges = {edge,
                  {"decode", "consumer", 2, std::nullopt, 0.04, 2, 0.9604, 0.0004, 100, 9, 9}};
  report.bytes_in_flight_max = 91234567;
  report.process_cpu_s = 8.1;
  report.rss_max_bytes = 412345678;
  return report;
}

constexpr const char* kText =
    R"(photos-train: 1828 ex/s  (120 batches, 7680 examples in 4.20 s after 8 of warm-up)
first batch  212 ms
wait         mean 1.20 ms, p50 0.40 ms, p95 5.00 ms, max 9.10 ms
work         mean 33.0 ms, p50 33.0 ms, p95 33.4 ms, max 34.0 ms (alone 32.8 ms)
waiting      3.5 % of the consumer's time

node      op            slots  items  service  slots' time   in %
read      read_folder       8   7712  41.2 us  [#~~>>>>>>>]  blocked 75, on_cpu 12, off_cpu 12
decode    decode_image      2   7680  1.90 ms  [########:>]  on_cpu 80, blocked 10, thread_wait 5
consumer  spin              1    120  33.0 ms  [##########]  work 96, wait 4
# on_cpu  ~ off_cpu  : ready, no CPU or thread  = order_held  > blocked  . starved

edge                capacity  fill mean  max   empty    full  bytes max
read -> decode            32       30.9   32     0 %  90.0 %    3.6 MiB
decode -> consumer         2        0.0    2  96.0 %  <0.1 %      100 B

CPU 8.10 s of 4.20 s x 2 CPUs; in flight up to 87.0 MiB; resident up to 393.2 MiB
)";

constexpr const char* kJson = R"({
  "report": 1,
  "status": "complete",
  "penstock": "0.1.0",
  "pipeline": "photos-train",
  "plan": "0123456789abcdef",
  "seed": 17,
  "epochs": 1,
  "machine": {"cpus": 2, "affinity": [0, 1], "quota": null, "torch": null, "tbb": "2021.8"},
  "window": {"seconds": 4.2, "batches": 120, "examples": 7680, "warmup_batches": 8, "steady": true},
  "examples_per_s": 1828.5,
  "first_batch_ms": 212.4,
  "wait_ms": {"mean": 1.2, "p50": 0.4, "p95": 5.0, "max": 9.1},
  "work_ms": {"mean": 33.0, "p50": 33.0, "p95": 33.4, "max": 34.0, "reference": 32.8},
  "wait_fraction": 0.035,
  "consumer": {"work": "spin", "target_ms": 33.0, "spin_iterations": 1000000},
  "nodes": [
    {"id": "read", "op": "read_folder", "where": "train.yaml:9:5", "kind": "blocking",
     "concurrency": 8, "firings": 7712, "items_in": 0, "items_out": 7712, "skipped": 0,
     "filtered": 0,
     "service_ms": {"mean": 0.0412, "p50": 0.03, "p95": 0.1, "max": 3.25}, "cpu_ms": {"mean": 0.02},
     "share": {"starved": 0.0, "thread_wait": 0.0, "on_cpu": 0.125, "run_queue": null,
               "off_cpu": 0.125, "handover": 0.0, "order_held": 0.0, "blocked": 0.75,
               "blocked_pool": 0.0, "drained": 0.0},
     "starved_by": {}, "blocked_by": {"decode": 0.75}},
    {"id": "decode", "op": "decode_image", "where": "train.yaml:12:5", "kind": "cpu",
     "concurrency": 2, "firings": 7680, "items_in": 7680, "items_out": 7680, "skipped": 0,
     "filtered": 0,
     "service_ms": {"mean": 1.9, "p50": 1.8, "p95": 2.6, "max": 7.7}, "cpu_ms": {"mean": 1.85},
     "share": {"starved": 0.02, "thread_wait": 0.05, "on_cpu": 0.8, "run_queue": 0.02,
               "off_cpu": 0.01, "handover": 0.0, "order_held": 0.0, "blocked": 0.1,
               "blocked_pool": 0.0, "drained": 0.0},
     "starved_by": {"read": 0.02}, "blocked_by": {"augment": 0.1}}
  ],
  "edges": [
    {"from": "read", "to": "decode", "capacity": 32, "capacity_bytes": 268435456,
     "fill_mean": 30.9, "fill_max": 32, "empty": 0.0, "full": 0.9, "bytes_max": 3812345,
     "puts": 7712, "gets": 7680, "content": {"begin": 0, "end": 32}},
    {"from": "decode", "to": "consumer", "capacity": 2, "capacity_bytes": null, "fill_mean": 0.04,
     "fill_max": 2, "empty": 0.9604, "full": 0.0004, "bytes_max": 100, "puts": 9, "gets": 9,
     "content": {"begin": 0, "end": 0}}
  ],
  "bytes_in_flight_max": 91234567,
  "process_cpu_s": 8.1,
  "rss_max_bytes": 412345678,
  "verdict": null,
  "errors": {"skipped": 0, "by_node": {}, "first": []},
  "digest": null,
  "notes": []
})";

}  // namespace

TEST_CASE("the text of a report") { CHECK(format_text(example()) == kText); }

TEST_CASE("the JSON of a report has the documented names in the documented order") {
  using Json = nlohmann::ordered_json;
  CHECK(Json::parse(format_json(example())).dump(1) == Json::parse(kJson).dump(1));
}

TEST_CASE("every line of the text fits 100 columns with long names and large numbers") {
  Report report = example();
  for (NodeReport& node : report.nodes) {
    node.id = "a_node_with_quite_a_long_name";
    node.op = "random_resized_crop_and_flip";
    node.concurrency = 64;
    node.items_in = 123456789;
  }
  report.edges[0].from = report.edges[0].to = "a_node_with_quite_a_long_name";
  const std::string text = format_text(report);
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    CHECK_MESSAGE(end - begin <= 100, text.substr(begin, end - begin));
    begin = end + 1;
  }
}

TEST_CASE("skipped samples are counted, and the first ones shown with their names") {
  Report report = example();
  report.errors_skipped = 7;
  report.errors_by_node = {{"decode", 6}, {"read", 1}};
  report.skipped_samples = {{"decode", "barn/a b.jpg", "no end marker"}, {"read", "", "gone"}};
  const std::string text = format_text(report);
  CHECK(text.find("skipped 7 samples: 6 in decode, 1 in read\n"
                  "  decode: barn/a b.jpg: no end marker\n"
                  "  read: gone\n"
                  "  and 5 more\n") != std::string::npos);
  const auto json = nlohmann::json::parse(format_json(report));
  CHECK(json["errors"]["skipped"] == 7);
  CHECK(json["errors"]["by_node"]["decode"] == 6);
  CHECK(json["errors"]["first"][0]["key"] == "barn/a b.jpg");
}

TEST_CASE("a failed run's JSON tells the error; bytes that are no UTF-8 do no harm") {
  Report report = example();
  report.status = "failed";
  report.error = FailureReport{"decode", "t.yaml:3:5", "\xFF.jpg", "cut short", "all of it"};
  const auto json = nlohmann::json::parse(format_json(report));
  CHECK(json["status"] == "failed");
  CHECK(json["error"]["node"] == "decode");
  CHECK(json["error"]["key"] == "\xEF\xBF\xBD.jpg");
}

TEST_CASE("a stopped run, a digest, notes and a quota show in the text") {
  Report report = example();
  report.status = "stopped";
  report.digest = "xxh3:00";
  report.machine.quota = 1.5;
  report.notes = {"too short"};
  const std::string text = format_text(report);
  CHECK(text.find("of warm-up), stopped\n") != std::string::npos);
  CHECK(text.find("x 2 CPUs (quota 1.50);") != std::string::npos);
  CHECK(text.find("digest xxh3:00\nnote: too short\n") != std::string::npos);
}

TEST_CASE("numbers for people") {
  CHECK(duration_text(0) == "0 ms");
  CHECK(duration_text(0.0005) == "0.50 us");
  CHECK(duration_text(0.412) == "0.41 ms");
  CHECK(duration_text(999) == "999 ms");
  CHECK(duration_text(12345) == "12.3 s");
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1048575) == "1.0 MiB");
  CHECK(percent_text(0.00001) == "<0.1 %");
  CHECK(percent_text(1) == "100.0 %");
  CHECK(width_of("päth") == 4);
  CHECK(fit("päth данные", 6) == "päth..");
  CHECK(fit("a\nb", 9) == "a\\nb");
}

TEST_CASE("the locale does not change numbers") {
  const std::string before = format_text(example()) + format_json(example());
  for (const char* name : {"tr_TR.UTF-8", "de_DE.UTF-8", "C"}) {
    if (std::setlocale(LC_ALL, name) == nullptr) continue;  // not installed here
    CHECK(format_text(example()) + format_json(example()) == before);
  }
  std::setlocale(LC_ALL, "C");
}
