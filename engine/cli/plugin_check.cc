#include <fmt/format.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/exit_guard.h"
#include "cli/plugin.h"
#include "conform/check.h"
#include "conform/isolated.h"
#include "conform/race.h"
#include "conform/subject.h"
#include "plan/complaints.h"
#include "plugin/loader.h"
#include "plugin/note.h"
#include "report/words.h"

namespace penstock::cli {
namespace {

using conform::Finding;
using conform::OperatorFindings;

constexpr int kLongestSilence = 120;  // seconds; the longest check runs for five times 20
constexpr const char* kThreadSanitizer = "libtsan.so.2";
constexpr const char* kUnderSanitizer =
    "PENSTOCK_UNDER_SANITIZER";  // set in the process it watches
constexpr int kRaceReported = 66;

/// Keeps what is said.
class Record : public conform::Listener {
 public:
  void begin(const std::string& check) override { now_ = check; }
  void end(const Finding& finding) override {
    findings.push_back(finding);
    now_.clear();
  }
  void waits(const std::string& check, int seconds, int limit) override {
    const std::string what = check.empty() ? "loading it" : "the check '" + check + "'";
    write_stderr(
        fmt::format("note: {} goes on for {} s; it is ended after {} s\n", what, seconds, limit));
  }
  /// The child ended badly.
  void broke_off(const std::string& how) {
    if (!how.empty())
      findings.push_back({Finding::Status::kFail, now_.empty() ? "run" : now_, how});
  }
  std::vector<Finding> findings;

 private:
  std::string now_;
};

/// The registry with the library's operators, whose names are put into `names`.
Registry load(const std::string& file, std::vector<std::string>* names) {
  Registry registry;
  std::string reason = load_library(file, &registry);
  *names = registry.names();
  // Beside it, for what its pipelines need; it may be this one itself.
  if (!reason.empty()) throw std::runtime_error(reason);
  reason = load_library(builtin_library_path(), &registry);
  if (reason.find("is already there") != std::string::npos) {
    reason = fmt::format("'{}' takes the name of a built-in operator: {}", file, reason);
  }
  if (!reason.empty()) throw std::runtime_error(reason);
  return registry;
}

/// Overrides for one operator: "PARAM=VALUE".
std::vector<std::string> sets_of(const std::vector<std::string>& all, const std::string& op) {
  std::vector<std::string> mine;
  for (const std::string& text : all) {
    if (text.starts_with(op + ".")) mine.push_back(text.substr(op.size() + 1));
  }
  return mine;
}

constexpr char kHelp = '\t';  // between what is wrong with an override and the remedy

/// What is wrong with an override, with the remedy, or "".
std::string fault_of_set(const std::string& text, const Registry& registry,
                         const std::vector<std::string>& names) {
  const size_t dot = text.find('.');
  const size_t equals = text.find('=');
  const std::string op = text.substr(0, dot);
  const bool known = std::find(names.begin(), names.end(), op) != names.end();
  if (!known || equals == std::string::npos || equals < dot) {
    return fmt::format("there is no such parameter{}write OP.PARAM=VALUE; {}", kHelp,
                       suggestion(op, names, "the operators are"));
  }
  const Schema& schema = registry.find(op)->def.schema;
  const std::string name = text.substr(dot + 1, equals - dot - 1);
  if (schema.find(name) != nullptr) {
    const bool right_without = conform::Subject(registry, op, {}).fault().empty();
    return right_without ? conform::Subject(registry, op, {text.substr(dot + 1)}).fault() : "";
  }
  std::vector<std::string> params;
  for (const Param& param : schema.params()) params.push_back(param.name);
  const std::string help = suggestion(name, params, "the parameters of " + op + " are");
  return fmt::format("there is no such parameter{}{}", kHelp,
                     help.empty() ? op + " has no parameters" : help);
}

/// One for each override, "" where it is right.
std::vector<std::string> faults_of_sets(const std::vector<std::string>& sets,
                                        const Registry& registry,
                                        const std::vector<std::string>& names) {
  std::vector<std::string> faults;
  for (const std::string& text : sets) faults.push_back(fault_of_set(text, registry, names));
  return faults;
}

void refuse_wrong_set(const std::vector<std::string>& sets,
                      const std::vector<std::string>& faults) {
  for (size_t i = 0; i < faults.size(); ++i) {
    if (faults[i].empty()) continue;
    const size_t help = std::min(faults[i].find(kHelp), faults[i].size());
    throw UsageError(fmt::format("--set {}: {}", sets[i], faults[i].substr(0, help)),
                     faults[i].substr(std::min(help + 1, faults[i].size())));
  }
}

std::vector<OperatorFindings> no_operators() {
  return {{"",
           {{Finding::Status::kFail, "operators",
             "the library has none: its entry point must add each of them"}}}};
}

/// In processes of their own: first who is there, then one after the other.
std::vector<OperatorFindings> check_isolated(const CheckPluginFlags& flags) {
  Record list;
  const std::string how = conform::run_isolated(
      [&](conform::Listener& said) {
        ExitGuard::allow_exit();
        std::vector<std::string> names;
        const Registry registry = load(flags.file, &names);
        for (const std::string& name : names) said.end({Finding::Status::kPass, "operator", name});
        for (const std::string& fault : faults_of_sets(flags.common.set, registry, names)) {
          said.end({Finding::Status::kPass, "set", fault});
        }
      },
      kLongestSilence, list);
  list.begin("load");
  list.broke_off(how);
  if (!how.empty()) return {{"", list.findings}};
  std::vector<std::string> names;
  std::vector<std::string> faults;
  for (const Finding& finding : list.findings) {
    (finding.check == "set" ? faults : names).push_back(finding.text);
  }
  if (names.empty()) return no_operators();
  refuse_wrong_set(flags.common.set, faults);
  std::vector<OperatorFindings> all;
  for (const std::string& name : names) {
    Record record;
    record.broke_off(conform::run_isolated(
        [&](conform::Listener& said) {
          ExitGuard::allow_exit();
          std::vector<std::string> ignored;
          const Registry registry = load(flags.file, &ignored);
          conform::check_operator(registry, name, sets_of(flags.common.set, name), said);
        },
        kLongestSilence, record));
    all.push_back({name, std::move(record.findings)});
  }
  return all;
}

/// In this process, which the sanitizer watches: it has the last word when the process ends.
std::vector<OperatorFindings> check_here(const CheckPluginFlags& flags) {
  std::vector<std::string> names;
  const Registry registry = load(flags.file, &names);
  if (names.empty()) return no_operators();
  refuse_wrong_set(flags.common.set, faults_of_sets(flags.common.set, registry, names));
  std::vector<OperatorFindings> all;
  for (const std::string& name : names) {
    Record record;
    conform::check_operator(registry, name, sets_of(flags.common.set, name), record);
    all.push_back({name, std::move(record.findings)});
  }
  return all;
}

const char* word_of(Finding::Status status) {
  switch (status) {
    case Finding::Status::kPass:
      return "ok";
    case Finding::Status::kFail:
      return "FAILED";
    case Finding::Status::kNotDone:
      return "-";
  }
  return "";
}

size_t count_failed(const std::vector<OperatorFindings>& all) {
  size_t failed = 0;
  for (const OperatorFindings& each : all) {
    failed += std::any_of(each.findings.begin(), each.findings.end(), [](const Finding& finding) {
      return finding.status == Finding::Status::kFail;
    });
  }
  return failed;
}

std::string text_of(const PluginFacts& facts, const std::vector<OperatorFindings>& all) {
  std::string text =
      printable(fmt::format("{} {}, by {}, licence: {}; penstock {}{}, {}", facts.name,
                            facts.version, facts.author, facts.licence, facts.penstock,
                            facts.torch.empty() ? "" : ", torch " + facts.torch, facts.compiler)) +
      "\n";
  for (const OperatorFindings& each : all) {
    if (!each.op.empty()) text += "\n" + each.op + "\n";
    Table table({Table::Align::kLeft, Table::Align::kLeft, Table::Align::kLeft});
    for (const Finding& finding : each.findings) {
      table.row({"  " + finding.check, word_of(finding.status), printable(finding.text)});
    }
    text += table.text();
  }
  const size_t failed = count_failed(all);
  if (all.size() == 1 && all.front().op.empty()) return text + "\nno operator was tried\n";
  if (failed == 0 && all.size() == 1) return text + "\nthe operator conforms\n";
  return text + (failed == 0 ? fmt::format("\nall {} operators conform\n", all.size())
                             : fmt::format("\n{} of {} operators failed\n", failed, all.size()));
}

std::string json_of(const PluginFacts& facts, const std::vector<OperatorFindings>& all) {
  using Json = nlohmann::ordered_json;
  Json operators = Json::array();
  for (const OperatorFindings& each : all) {
    Json findings = Json::array();
    for (const Finding& finding : each.findings) {
      const char* status = finding.status == Finding::Status::kPass   ? "pass"
                           : finding.status == Finding::Status::kFail ? "fail"
                                                                      : "not_done";
      findings.push_back({{"check", finding.check}, {"status", status}, {"text", finding.text}});
    }
    operators.push_back({{"name", each.op}, {"findings", std::move(findings)}});
  }
  const Json json = {{"name", facts.name},         {"version", facts.version},
                     {"author", facts.author},     {"licence", facts.licence},
                     {"penstock", facts.penstock}, {"torch", facts.torch},
                     {"compiler", facts.compiler}, {"operators", std::move(operators)},
                     {"failed", count_failed(all)}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The same command in a process that the thread sanitizer watches; its exit code.
int run_watched(const CheckPluginFlags& flags) {
  const pid_t child = fork();
  if (child < 0) throw std::runtime_error("cannot start a process");
  if (child == 0) {
    setenv("LD_PRELOAD", kThreadSanitizer, 1);
    setenv(kUnderSanitizer, "1", 1);
    const char* given = std::getenv("TSAN_OPTIONS");
    const std::string options =
        fmt::format("{}:exitcode={}:halt_on_error=0", given == nullptr ? "" : given, kRaceReported);
    setenv("TSAN_OPTIONS", options.c_str(), 1);
    personality(ADDR_NO_RANDOMIZE);  // its shadow memory needs fixed addresses
    std::vector<std::string> words = {"penstock", "plugin",   "check",
                                      flags.file, "--format", flags.common.format};
    for (const std::string& set : flags.common.set) words.insert(words.end(), {"--set", set});
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    execv("/proc/self/exe", arguments.data());
    _exit(kFailed);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
}

}  // namespace

int check_plugin(const CheckPluginFlags& flags) {
  PluginFacts facts;
  if (const std::string reason = read_note(flags.file, &facts); !reason.empty()) {
    print_error(fmt::format("cannot load '{}': {}", flags.file, reason));
    return kFailed;
  }
  if (facts.sanitizer == "thread" && !conform::watches_threads()) {
    if (std::getenv(kUnderSanitizer) != nullptr) {
      print_error(
          fmt::format("'{}' is built with -fsanitize=thread, and {} cannot be loaded: install "
                      "it, or check a build without it",
                      flags.file, kThreadSanitizer));
      return kFailed;
    }
    const int code = run_watched(flags);
    if (code == kRaceReported) {
      print_error("the thread sanitizer reports a data race, or cannot work here (see above)");
    }
    return code == kOk ? kOk : kFailed;
  }
  const auto all = conform::watches_threads() ? check_here(flags) : check_isolated(flags);
  write_result(flags.common.json() ? json_of(facts, all) : text_of(facts, all));
  return count_failed(all) == 0 ? kOk : kFailed;
}

}  // namespace penstock::cli
