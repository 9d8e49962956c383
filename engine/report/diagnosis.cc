#include "report/diagnosis.h"

#include <fmt/core.h>

#include <algorithm>

#include "diagnose/verdict.h"
#include "diagnose/words.h"
#include "penstock/diagnostic.h"
#include "report/skipped.h"
#include "report/verdict_format.h"
#include "report/words.h"

namespace penstock {
namespace {

constexpr size_t kLineWidth = 100;
constexpr size_t kChangeWidth = 28, kLimitWidth = 26;
constexpr double kFaster = 1.1;  // of two runs on a machine that is not ours alone

/// A heading with paragraphs and rows, before it is known for what medium.
struct Section {
  std::string title;
  std::vector<std::string> paragraphs;
  std::vector<std::vector<std::string>> rows;  // the first one is the head
};

std::string samples(double per_second) { return rate_text(per_second) + " samples/s"; }

/// What the serial run and the run as it is left out; empty: nothing.
std::string skipped_line(const Diagnosis& diagnosis) {
  std::string runs;
  const auto add = [&runs](const std::optional<Report>& report, const char* name) {
    if (!report || report->errors_by_node.empty()) return;
    runs += (runs.empty() ? "" : ", ") + skipped_text(report->errors_by_node) + name;
  };
  add(diagnosis.serial, " by the serial run");
  add(diagnosis.steady, " by the run as it is");
  if (runs.empty()) return "";
  return "Samples were skipped (on_error): " + runs + ". " + kSkippedMeaning;
}

Section observation(const Diagnosis& diagnosis) {
  Section section{"OBSERVATION", {}, {}};
  if (diagnosis.serial) {
    section.paragraphs.push_back(fmt::format("One thread alone (workers: 0) gives {}.",
                                             samples(diagnosis.serial->examples_per_s)));
  }
  if (!diagnosis.steady) {
    section.paragraphs.push_back("The run as it is was not measured.");
    return section;
  }
  const Report& steady = *diagnosis.steady;
  std::string text;
  if (diagnosis.predicted && diagnosis.predicted->examples_per_s > 0) {
    text = fmt::format("From its costs the run as it is was predicted to give {}; it gives {}.",
                       samples(diagnosis.predicted->examples_per_s),
                       samples(steady.verdict->examples_per_s > 0 ? steady.verdict->examples_per_s
                                                                  : steady.examples_per_s));
  } else {
    text = fmt::format("The run as it is gives {}.", samples(steady.examples_per_s));
  }
  text += fmt::format(" The consumer waits {} for a batch (p50 {}, p95 {}) and works {}",
                      duration_text(steady.wait_ms.mean), duration_text(steady.wait_ms.p50),
                      duration_text(steady.wait_ms.p95), duration_text(steady.work_ms.mean));
  if (steady.work_reference_ms) {
    text += fmt::format(" (alone {})", duration_text(*steady.work_reference_ms));
  }
  section.paragraphs.push_back(text + ".");
  const std::string skipped = skipped_line(diagnosis);
  if (!skipped.empty()) section.paragraphs.push_back(skipped);
  for (const std::string& line : diagnosis.inflated) section.paragraphs.push_back(line);
  return section;
}

Section hypothesis(const Diagnosis& diagnosis) {
  Section section{"HYPOTHESIS", {}, {}};
  if (!diagnosis.steady) return section;
  const Verdict& verdict = *diagnosis.steady->verdict;
  section.paragraphs.push_back(verdict_format::headline(verdict) + ": " + verdict.reason);
  for (const Verdict& phase : verdict.by_phase) {
    section.paragraphs.push_back(verdict_format::headline(phase) + ": " + phase.reason);
  }
  for (size_t i = 0; i < verdict.alternatives.size(); ++i) {
    const Alternative& other = verdict.alternatives[i];
    section.paragraphs.push_back(fmt::format("Alternative {}: {}", i + 1, other.reason));
  }
  return section;
}

void add_row(const std::string& change, const Expectation& expectation, bool is_hypothesis,
             Section* section) {
  const std::string limit = words::headline(expectation.limit, expectation.nodes);
  section->rows.push_back({fit(change, kChangeWidth),
                           fit((is_hypothesis ? "" : "or ") + limit, kLimitWidth),
                           fmt::format("{} ({} to {})", rate_text(expectation.examples_per_s),
                                       rate_text(expectation.low), rate_text(expectation.high)),
                           duration_text(expectation.wait_ms), duration_text(expectation.work_ms)});
}

std::string change_of(const Trial& trial) {
  return trial.set.empty() ? "consumer without work" : trial.set;
}

Section experiment(const Diagnosis& diagnosis) {
  Section section{"EXPERIMENT", {}, {}};
  if (!diagnosis.steady) {
    section.paragraphs.push_back("Not reached.");
    return section;
  }
  if (diagnosis.trials.empty()) {
    section.paragraphs.push_back("None: there is no verdict that one change could test.");
    return section;
  }
  section.paragraphs.push_back(
      "One change at a time. Predicted before it was made" +
      (diagnosis.predictions_file.empty() ? "" : ", in " + printable(diagnosis.predictions_file)) +
      ":");
  section.rows.push_back({"change", "if this limits", "samples/s", "wait", "work"});
  for (const TrialRecord& record : diagnosis.trials) {
    add_row(change_of(record.trial), record.trial.hypothesis, true, &section);
    for (const Expectation& other : record.trial.alternatives) add_row("", other, false, &section);
  }
  return section;
}

Section result(const Diagnosis& diagnosis) {
  Section section{"RESULT", {}, {}};
  if (diagnosis.trials.empty()) return section;
  section.rows.push_back({"change", "samples/s before", "after", "ratio", "wait", "work"});
  for (const TrialRecord& record : diagnosis.trials) {
    if (!record.result) {
      section.rows.push_back(
          {fit(change_of(record.trial), kChangeWidth), "", "not made", "", "", ""});
      continue;
    }
    section.rows.push_back({change_of(record.trial), rate_text(record.before->examples_per_s),
                            rate_text(record.after->examples_per_s),
                            fmt::format("{:.2f} +- {:.2f}", record.result->ratio,
                                        record.result->ratio * record.result->error),
                            duration_text(record.after->wait_ms),
                            duration_text(record.after->work_ms)});
  }
  return section;
}

Section interpretation(const Diagnosis& diagnosis) {
  Section section{"INTERPRETATION", {}, {}};
  for (const TrialRecord& record : diagnosis.trials) {
    if (!record.result) continue;
    std::string text = change_of(record.trial) + ": " + record.result->text;
    if (record.before->skipped + record.after->skipped > 0) {
      text += fmt::format(" Skipped samples: {} in the runs before, {} after.",
                          record.before->skipped, record.after->skipped);
    }
    section.paragraphs.push_back(text);
  }
  return section;
}

/// Whether the trials speak for the verdict: none against it, and one that tells it apart.
bool confirmed(const Diagnosis& diagnosis) {
  const auto is = [](Finding finding) {
    return [finding](const TrialRecord& r) { return r.result && r.result->finding == finding; };
  };
  const auto& trials = diagnosis.trials;
  return std::any_of(trials.begin(), trials.end(), is(Finding::kHolds)) &&
         std::none_of(trials.begin(), trials.end(), is(Finding::kAlternative)) &&
         std::none_of(trials.begin(), trials.end(), is(Finding::kNeither));
}

bool tried(const Diagnosis& diagnosis) {
  return std::any_of(diagnosis.trials.begin(), diagnosis.trials.end(),
                     [](const TrialRecord& record) { return record.result.has_value(); });
}

std::string next_text(const Diagnosis& diagnosis) {
  if (diagnosis.error)
    return "Repair what failed, then call it again: " + printable(diagnosis.error->text);
  if (diagnosis.status != "complete") return "Interrupted: call it again to finish.";
  const Verdict& verdict = *diagnosis.steady->verdict;
  if (diagnosis.serial && diagnosis.serial->examples_per_s > kFaster * verdict.examples_per_s &&
      diagnosis.serial->examples_per_s > kFaster * diagnosis.steady->examples_per_s) {
    return "Use --set workers=0: bodies are so short that one thread alone is faster than several "
           "that hand samples to each other.";
  }
  if (verdict.limit == "invalid") return "Let the runs last longer: --seconds.";
  if (verdict.limit == "not_stationary") {
    return "What changes in the data or on the machine during the run?";
  }
  if (verdict.limit == "none") {
    return fmt::format("No single change will help by {:.0f} % or more.", kLeastGain * 100);
  }
  if (tried(diagnosis) && !confirmed(diagnosis)) {
    return "The verdict is not confirmed. Repeat with a larger --seconds on a quiet machine; if it "
           "stays so, look first at what the results fit.";
  }
  return verdict_format::gain_text(verdict);
}

std::vector<Section> sections_of(const Diagnosis& diagnosis) {
  return {observation(diagnosis), hypothesis(diagnosis),     experiment(diagnosis),
          result(diagnosis),      interpretation(diagnosis), {"NEXT", {next_text(diagnosis)}, {}}};
}

std::string markdown_rows(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (size_t r = 0; r < rows.size(); ++r) {
    text += "|";
    for (const std::string& cell : rows[r]) text += " " + cell + " |";
    text += "\n";
    if (r > 0) continue;
    text += "|";
    for (size_t c = 0; c < rows[r].size(); ++c) text += "---|";
    text += "\n";
  }
  return text;
}

std::string text_rows(const std::vector<std::vector<std::string>>& rows) {
  if (rows.empty()) return "";
  Table table(std::vector<Table::Align>(rows.front().size(), Table::Align::kLeft));
  for (std::vector<std::string> row : rows) {
    row.front() = "  " + row.front();
    table.row(std::move(row));
  }
  return table.text();
}

}  // namespace

std::string format_text(const Diagnosis& diagnosis) {
  std::string text;
  for (const Section& section : sections_of(diagnosis)) {
    if (section.paragraphs.empty() && section.rows.empty()) continue;
    text += (text.empty() ? "" : "\n") + section.title + "\n";
    for (const std::string& paragraph : section.paragraphs) text += wrap(paragraph, 2, kLineWidth);
    text += text_rows(section.rows);
  }
  return text;
}

std::string format_markdown(const Diagnosis& diagnosis) {
  std::string text = "# Diagnosis of " + printable(diagnosis.pipeline) + "\n";
  for (const Section& section : sections_of(diagnosis)) {
    if (section.paragraphs.empty() && section.rows.empty()) continue;
    text += "\n## " + section.title + "\n";
    for (const std::string& paragraph : section.paragraphs) text += "\n" + paragraph + "\n";
    if (!section.rows.empty()) text += "\n" + markdown_rows(section.rows);
  }
  return text;
}

}  // namespace penstock
