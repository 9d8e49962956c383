#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/diagnosis.h"
#include "report/verdict_format.h"

using namespace penstock;

namespace {

Verdict example() {
  Verdict verdict;
  verdict.limit = "node";
  verdict.nodes = {"decode"};
  verdict.confidence = 0.9;
  verdict.remedy = "nodes.decode.concurrency=3";
  verdict.advice = "decode had 3 slots";
  verdict.gain = Gain{1.31, 1.22, 1.40};
  verdict.next = NextLimit{"consumer", {"consumer"}, 1.31};
  verdict.reason = "decode needs 2 x 3.10 ms a sample; 2 slots give at most 323; you have 320.";
  verdict.alternatives = {{"cpu", {}, "the CPU.", 320}};
  verdict.experiment =
      ExperimentPlan{"nodes.decode.concurrency=3", "decode had 3 slots", 419, 390, 448, 1, 33};
  verdict.phases = {0.2, 0.1, 3, 0, 130, 120};
  verdict.examples_per_s = 320;
  verdict.rate_error = 0.01;
  verdict.model_examples_per_s = 323;
  verdict.bounds = {{"node", "decode", 323}, {"consumer", "", 423}};
  return verdict;
}

Report report_with(Verdict verdict) {
  Report report;
  report.pipeline = "photos";
  report.plan = "0123456789abcdef";
  report.wait_ms = {100, 1, 0.5, 4, 9};
  report.work_ms = {100, 33, 33, 34, 35};
  report.verdict = std::move(verdict);
  return report;
}

Diagnosis diagnosed() {
  Diagnosis diagnosis;
  diagnosis.pipeline = "photos";
  diagnosis.predictions_file = "photos.predictions.json";
  diagnosis.steady = report_with(example());
  diagnosis.predicted = Prediction{330, "node", {"decode"}};
  Trial trial{"nodes.decode.concurrency=3",
              "decode had 3 slots",
              {"node", {"decode"}, 419, 390, 448, 1, 33},
              {{"cpu", {}, 320, 313, 327, 2, 33}}};
  diagnosis.trials = {{trial, Measured{.examples_per_s = 318}, Measured{.examples_per_s = 410},
                       TrialResult{Finding::kHolds, 1.29, 0.03, 0, "It holds."}}};
  return diagnosis;
}

constexpr const char* kText = R"(verdict: decode
  decode needs 2 x 3.10 ms a sample; 2 slots give at most 323; you have 320.
  If decode had 3 slots: 1.31 x the rate (1.22 to 1.40), with --set nodes.decode.concurrency=3. Then
  the next limit is the consumer: it allows 1.31 times what the present limit allows.
  Start-up 200 ms, ramp 100 ms, steady 3000 ms (120 batches), drain 0 ms; rate +-1.0 %; confidence
  0.90.
)";

constexpr const char* kDiagnosis = R"(OBSERVATION
  From its costs the run as it is was predicted to give 330.0 samples/s; it gives 320.0 samples/s.
  The consumer waits 1.00 ms for a batch (p50 0.50 ms, p95 4.00 ms) and works 33.0 ms.

HYPOTHESIS
  decode: decode needs 2 x 3.10 ms a sample; 2 slots give at most 323; you have 320.
  Alternative 1: the CPU.

EXPERIMENT
  One change at a time. Predicted before it was made, in photos.predictions.json:
  change                      if this limits    samples/s               wait     work
  nodes.decode.concurrency=3  decode            419.0 (390.0 to 448.0)  1.00 ms  33.0 ms
                              or CPU saturated  320.0 (313.0 to 327.0)  2.00 ms  33.0 ms

RESULT
  change                      samples/s before  after  ratio         wait  work
  nodes.decode.concurrency=3  318.0             410.0  1.29 +- 0.04  0 ms  0 ms

INTERPRETATION
  nodes.decode.concurrency=3: It holds.

NEXT
  If decode had 3 slots: 1.31 x the rate (1.22 to 1.40), with --set nodes.decode.concurrency=3. Then
  the next limit is the consumer: it allows 1.31 times what the present limit allows.
)";

}  // namespace

TEST_CASE("the text of a verdict") { CHECK(verdict_format::text(example()) == kText); }

TEST_CASE("the JSON of a verdict has the documented names") {
  const auto json = verdict_format::json_of(example());
  CHECK(json["limit"] == "node");
  CHECK(json["nodes"] == nlohmann::json{"decode"});
  CHECK(json["remedy"] == "nodes.decode.concurrency=3");
  CHECK(json["gain"].dump() == R"({"value":1.31,"low":1.22,"high":1.4})");
  CHECK(json["next"]["headroom"] == 1.31);
  CHECK(json["bounds"][1]["node"].is_null());
  CHECK(json["window"]["steady_batches"] == 120);
  Verdict none;
  CHECK(verdict_format::json_of(none)["limit"] == "invalid");
  CHECK(verdict_format::json_of(none)["gain"].is_null());
  CHECK(nlohmann::json::parse(format_json(report_with(none)))["verdict"]["limit"] == "invalid");
}

TEST_CASE("a verdict's phases are told apart") {
  Verdict verdict;
  verdict.limit = "not_stationary";
  verdict.reason = "the rate changes.";
  verdict.by_phase = {example(), Verdict{}};
  verdict.by_phase[1].limit = "cpu";
  const std::string text = verdict_format::text(verdict);
  CHECK(text.find("  At first: decode. decode needs") != std::string::npos);
  CHECK(text.find("  Later: CPU saturated.") != std::string::npos);
}

TEST_CASE("a diagnosis as text, Markdown and JSON") {
  CHECK(format_text(diagnosed()) == kDiagnosis);
  const std::string markdown = format_markdown(diagnosed());
  CHECK(markdown.rfind("# Diagnosis of photos\n\n## OBSERVATION\n\nFrom its costs", 0) == 0);
  CHECK(
      markdown.find("\n| change | if this limits | samples/s | wait | work |\n|---|---|---|---|---|"
                    "\n| nodes.decode.concurrency=3 | decode |") != std::string::npos);
  const auto json = nlohmann::json::parse(format_json(diagnosed()));
  CHECK(json["trials"][0]["result"]["finding"] == "holds");
  CHECK(json["runs"]["serial"].is_null());
  CHECK(json["predicted"]["examples_per_s"] == 330.0);
}

TEST_CASE("what was not reached in a diagnosis is said to be missing") {
  Diagnosis diagnosis = diagnosed();
  diagnosis.status = "interrupted";
  diagnosis.trials[0].result.reset();
  const std::string text = format_text(diagnosis);
  CHECK(text.find("not made") != std::string::npos);
  CHECK(text.find("Interrupted: call it again to finish.") != std::string::npos);
  diagnosis.trials.clear();
  diagnosis.steady.reset();
  CHECK(format_text(diagnosis).find("was not measured") != std::string::npos);
}

TEST_CASE("a refuted verdict is not acted upon") {
  Diagnosis diagnosis = diagnosed();
  diagnosis.trials[0].result->finding = Finding::kAlternative;
  CHECK(format_text(diagnosis).find("NEXT\n  The verdict is not confirmed.") != std::string::npos);
}

TEST_CASE("where one thread alone is faster, it is to be used") {
  Diagnosis diagnosis = diagnosed();
  diagnosis.serial = diagnosis.steady;
  diagnosis.serial->examples_per_s = 1.2 * diagnosis.steady->verdict->examples_per_s;
  diagnosis.steady->examples_per_s = diagnosis.steady->verdict->examples_per_s;
  CHECK(format_text(diagnosis).find("NEXT\n  Use --set workers=0: bodies are so short") !=
        std::string::npos);
}

TEST_CASE("what is not known is null and not 0") {
  const auto verdict = nlohmann::json::parse(format_json(report_with(Verdict())))["verdict"];
  CHECK(verdict["rate_error"].is_null());
  CHECK(verdict["examples_per_s"].is_null());
  CHECK(verdict["model"]["examples_per_s"].is_null());
  const auto trials = nlohmann::json::parse(format_json(diagnosed()))["trials"];
  CHECK(trials[0]["before"]["rate_error"].is_null());
}

TEST_CASE("the next limit is told as room above the present one, and only where there is some") {
  Verdict verdict = example();
  verdict.next->headroom = 1.18;
  CHECK(verdict_format::gain_text(verdict).find(
            " Then the next limit is the consumer: it allows 1.18 times what the present limit "
            "allows.") != std::string::npos);
  verdict.next->headroom = 0.97;
  CHECK(verdict_format::gain_text(verdict).find(
            " The next limit, the consumer, allows no more than the present one.") !=
        std::string::npos);
}
