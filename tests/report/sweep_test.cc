#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/sweep_format.h"
#include "support/sweep_table.h"

namespace penstock {
namespace {

using testing::sweep_of;

Sweep example() {
  Sweep sweep = sweep_of({"1", "2", "4"}, 400, {450, 900, 910});
  sweep.runs[1].predicted = Prediction{.examples_per_s = 448, .limit = "node", .nodes = {"decode"}};
  sweep.runs[2].predicted = Prediction{.examples_per_s = 870, .limit = "consumer"};
  sweep.runs[3].predicted = Prediction{.examples_per_s = 870, .limit = "consumer"};
  Report& serial = *sweep.runs[0].report;
  serial.wait_ms = {100, 70.5, 70, 72, 80};
  serial.work_ms = {100, 8.25, 8, 9, 10};
  serial.wait_fraction = 0.89;
  return sweep;
}

TEST_CASE("a sweep as text: one row a run, prediction beside measurement, where scaling stops") {
  CHECK(
      format_text(example()) ==
      "photos: 4 runs, 3 s each\n"
      "\n"
      "decode.concurrency  workers   ex/s  wait_mean  wait_p50  wait_p95  wait_max  work  "
      "wait_frac\n"
      "            serial        0  400.0      70.50     70.00     72.00     80.00  8.25       "
      "0.89\n"
      "                 1        1  450.0       0.00      0.00      0.00      0.00  0.00       "
      "0.00\n"
      "                 2        2  900.0       0.00      0.00      0.00      0.00  0.00       "
      "0.00\n"
      "                 4        4  910.0       0.00      0.00      0.00      0.00  0.00       "
      "0.00\n"
      "wait and work in ms a batch; workers 0: the serial run, all work inside the consumer's own "
      "call.\n"
      "predicted: from its costs, before the run.\n"
      "\n"
      "         ex/s  predicted     off  # ex/s, | predicted                     limit\n"
      "serial  400.0                     [################                    ]\n"
      "1       450.0      448.0  +0.4 %  [#################|                  ]\n"
      "2       900.0      870.0  +3.4 %  [#################################|##]\n"
      "4       910.0      870.0  +4.6 %  [#################################|##]\n"
      "\n"
      "scaling stops at decode.concurrency = 2 (900.0 ex/s, 2.25 x the serial run); predicted: "
      "2.\n");
}

TEST_CASE("samples that runs skipped have a column of their own, and a line") {
  Sweep sweep = example();
  sweep.runs[2].report->errors_skipped = 3;
  sweep.runs[2].report->errors_by_node = {{"decode", 3}};
  const std::string line = "warning: samples were skipped (on_error): 3 (3 in decode).";
  const std::string text = format_text(sweep);
  CHECK(text.find("wait_frac  skipped\n") != std::string::npos);
  CHECK(text.find("0.00        3\n") != std::string::npos);
  CHECK(text.find(line) != std::string::npos);
  CHECK(format_markdown(sweep).find("* " + line) != std::string::npos);
  CHECK(nlohmann::json::parse(format_json(sweep))["skipped"] == 3);
}

TEST_CASE("a sweep that ended early shows what it has") {
  Sweep sweep = example();
  sweep.status = "interrupted";
  sweep.runs[3].report.reset();
  const std::string text = format_text(sweep);
  CHECK(text.rfind("photos: 3 runs of 4 (interrupted), 3 s each\n", 0) == 0);
  CHECK(text.find("\n4 ") == std::string::npos);
  CHECK(text.find(
            "no end of scaling seen up to decode.concurrency = 2, the last value that was run") !=
        std::string::npos);
  for (SweepRun& run : sweep.runs) run.report.reset();
  CHECK(format_text(sweep) == "photos: 0 runs of 4 (interrupted), 3 s each\n");
}

TEST_CASE("a sweep tells who is done first with a job, by its length") {
  Sweep sweep = sweep_of({"4", "8"}, 400, {1000, 3000});  // 4 has no window, and no part in it
  Report& serial = *sweep.runs[0].report;
  Report& eight = *sweep.runs[2].report;
  serial.batches = eight.batches = 30;
  serial.first_batch_ms = 70;
  eight.first_batch_ms = 3000;
  serial.wait_ms.mean = 70;
  serial.work_ms.mean = eight.work_ms.mean = 10;
  const std::string text = format_text(sweep);
  CHECK(text.find("        first batch  a batch  job of 20    job of 200    job of 20,000\n"
                  "serial      70.0 ms  80.0 ms    1600 ms *      16.0 s           1600 s\n"
                  "8           3000 ms  10.0 ms    3200 ms       5000 ms *          203 s *\n") !=
        std::string::npos);
  CHECK(text.find("jobs of 1 to 20,000 batches: done first is serial, from 46 on "
                  "decode.concurrency = 8.\n") != std::string::npos);
  CHECK(format_markdown(sweep).find("| 1600 ms * |") != std::string::npos);
  const auto jobs = nlohmann::json::parse(format_json(sweep))["curves"][0]["jobs"];
  CHECK(jobs["lengths"][0] == nlohmann::json{{"batches", 20}, {"run", 0}, {"seconds", 1.6}});
  CHECK(jobs["winners"][1] == nlohmann::json{{"from", 46}, {"run", 2}});
}

TEST_CASE("a sweep as Markdown has the same rows") {
  const std::string text = format_markdown(example());
  CHECK(text.find("| decode.concurrency | workers | ex/s |") != std::string::npos);
  CHECK(text.find("|---:|---:|---:|") != std::string::npos);
  CHECK(text.find("| 2 | 900.0 | 870.0 | +3.4 % |") != std::string::npos);
  CHECK(text.find("\n* scaling stops at") != std::string::npos);
}

TEST_CASE("a sweep as JSON embeds the reports") {
  const auto json = nlohmann::json::parse(format_json(example()));
  CHECK(json["sweep"] == 1);
  CHECK(json["vary"][0] == "nodes.decode.concurrency");
  CHECK(json["runs"][0]["set"] == nlohmann::json{{"workers", 0}});
  CHECK(json["runs"][0]["predicted"].is_null());
  CHECK(json["runs"][2]["set"] == nlohmann::json{{"nodes.decode.concurrency", 2}});
  CHECK(json["runs"][2]["predicted"]["examples_per_s"] == 870);
  CHECK(json["runs"][1]["predicted"]["nodes"][0] == "decode");
  CHECK(json["runs"][2]["report"]["report"] == 1);
  CHECK(json["curves"][0]["stops_at"] == 2);
  CHECK(json["curves"][0]["predicted_stop"] == 2);
}

}  // namespace
}  // namespace penstock
