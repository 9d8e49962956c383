#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "report/comparison_format.h"
#include "support/comparison_table.h"

namespace penstock {
namespace {

using testing::comparison_of;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// On one line, with single spaces.
std::string flat(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const char each = c == '\n' ? ' ' : c;
    if (each != ' ' || !result.ends_with(' ')) result += each;
  }
  return result;
}

/// The published spinning workers: a share of waiting that lies.
Comparison lying() {
  Comparison comparison = comparison_of({{454, 0.89}, {455, 0.89}, {453, 0.88}},
                                        {{449, 0.39}, {450, 0.39}, {447, 0.40}});
  comparison.outputs = Outputs{.batches = 50, .first_difference = std::nullopt};
  return comparison;
}

TEST_CASE("the verdict says what became of the throughput and where the time went") {
  const auto first = [](const Comparison& comparison) { return verdict_lines(comparison).at(0); };
  CHECK(first(comparison_of({{100, 0.5}, {101, 0.5}, {99, 0.5}},
                            {{150, 0.5}, {152, 0.5}, {148, 0.5}})) ==
        "throughput: B is faster: 1.50 x A's ex/s, 95 % interval 1.49 to 1.51 (150.0 against 100.0 "
        "ex/s)");
  CHECK(has(first(lying()), "B is slower: 0.99 x A's ex/s"));
  CHECK(has(first(comparison_of({{100, 0.5}, {110, 0.5}}, {{110, 0.5}, {100, 0.5}})),
            "no difference that 2 pairs tell: B / A = 1.00"));
  CHECK(has(first(comparison_of({{100, 0.5}}, {{150, 0.5}})), "one pair, so no interval"));
  CHECK(verdict_lines(lying()).at(1) ==
        "time: a batch's wait 8.90 ms -> 3.90 ms, work 1.10 ms -> 6.10 ms, CPU 5.00 ms -> 5.00 ms; "
        "limit: unknown, as before");
}

TEST_CASE("a share of waiting that lies is called no improvement") {
  CHECK(has(flat(format_text(lying())),
            "warning: the share of waiting fell from 0.89 to 0.39, and the throughput did not rise "
            "(0.99 x): no improvement. The consumer's own work became longer (1.10 ms -> 6.10 "
            "ms)."));
  CHECK(!has(format_text(comparison_of({{100, 0.8}, {100, 0.8}}, {{200, 0.2}, {201, 0.2}})),
             "warning"));
}

TEST_CASE("the text begins with what differs, and shows both sides in every row") {
  Comparison comparison = lying();
  comparison.difference.changed = {{"read", {{"concurrency", "1", "8"}}}};
  comparison.difference.resized = {{"read", "batch", "8 items", "32 items"}};
  const std::string text = format_text(comparison);
  CHECK(text.rfind("A: a.yaml\nB: b.yaml\n  ~ node read: concurrency 1 -> 8\n"
                   "  ~ edge read -> batch: 8 items -> 32 items\n"
                   "outputs: equal, in the first 50 batches\n"
                   "\n3 pairs of runs, A B B A ...\n",
                   0) == 0);
  CHECK(has(flat(text), " read 2 | 2 "));
  CHECK(has(flat(text), " decode 1 | - "));
  CHECK(has(flat(text), " read -> split - | 8 "));
}

TEST_CASE("samples that a side skipped are told: its throughput is of other work") {
  Comparison comparison = lying();
  CHECK(!has(format_text(comparison), "skipped"));
  comparison.b[0].errors_by_node = {{"decode", 3}, {"read", 1}};
  comparison.b[2].errors_by_node = {{"decode", 2}};
  const std::string line =
      "warning: samples were skipped (on_error): by A 0, by B 6 (5 in decode, 1 in read).";
  CHECK(has(flat(format_text(comparison)), line));
  CHECK(has(format_markdown(comparison), "* " + line));
  const nlohmann::json json = nlohmann::json::parse(format_json(comparison));
  CHECK(json["skipped"] == nlohmann::json{{"a", 0}, {"b", 6}});
}

TEST_CASE("outputs that differ, conditions and early ends are told") {
  Comparison comparison = lying();
  comparison.outputs->first_difference = 2;
  comparison.status = "interrupted";
  comparison.conditions = {{{"ex/s", "<", 0.95, "ex/s < 0.95"}, 0.9, true},
                           {{"work", ">", 9, "work > 9"}, 1.0, false}};
  const std::string text = format_text(comparison);
  CHECK(has(text,
            "no structural difference\noutputs: NOT equal: batch 3 of 50 is the first that "
            "differs\n"));
  CHECK(has(text, "A B B A ... (interrupted)\n"));
  CHECK(has(text, "\nFAILED: ex/s < 0.95 (ex/s is 0.900)\npassed: work > 9 (work is 1.000)\n"));
  Comparison none = comparison_of({}, {});
  none.status = "interrupted";
  CHECK(format_text(none) ==
        "A: a.yaml\nB: b.yaml\nno structural difference\noutputs: not compared\n0 pairs of runs, A "
        "B B A ... (interrupted)\n");
}

TEST_CASE("Markdown has the same tables") {
  const std::string text = format_markdown(lying());
  CHECK(text.rfind("* A: a.yaml\n* B: b.yaml\n", 0) == 0);
  CHECK(has(text, "| median | A | B | B / A | 95 % interval |\n|---|---:|---:|---:|---|\n"));
  CHECK(has(text, "| node, A \\| B | slots |"));
  CHECK(has(text, "\n* throughput: B is slower"));
}

TEST_CASE("JSON has every figure and both sides' reports") {
  Comparison comparison = lying();
  comparison.difference.moved = {{"read", {"a"}, {"b"}}};
  const auto json = nlohmann::json::parse(format_json(comparison));
  CHECK(json["compare"] == 1);
  CHECK(json["difference"]["moved"][0]["after_b"][0] == "b");
  CHECK(json["outputs"]["equal"] == true);
  CHECK(json["metrics"][0]["name"] == "ex/s");
  CHECK(json["metrics"][0]["ratio"]["low"] < 1);
  CHECK(json["nodes"][1]["b"].is_null());
  CHECK(json["runs"]["a"].size() == 3);
  CHECK(json["runs"]["b"][2]["report"] == 1);
  CHECK(json["verdict"].size() == 2);
  CHECK(json["wait_misleads"] == true);
}

}  // namespace
}  // namespace penstock
