#include "cli/usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace penstock::cli {
namespace {

std::vector<std::string> verb_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands(nullptr)) names.push_back(verb->get_name());
  return names;
}

/// The verb that the command line names, or the top of the command line.
const CLI::App& chosen(const CLI::App& app, int argc, char** argv) {
  if (argc > 1) {
    for (const CLI::App* verb : app.get_subcommands(nullptr)) {
      if (verb->get_name() == argv[1]) return *verb;
    }
  }
  return app;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// The first argument that looks like a long option and is none of the verb's.
std::string unknown_option(const std::vector<std::string>& known, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--") break;
    if (argument.substr(0, 2) != "--") continue;
    std::string name(argument.substr(0, argument.find('=')));
    if (std::find(known.begin(), known.end(), name) == known.end()) return name;
  }
  return "";
}

}  // namespace

void check_verb(const CLI::App& app, int argc, char** argv) {
  if (argc < 2) {
    throw UsageError("which verb?", fmt::format("{}; penstock --help says what they do",
                                                fmt::join(verb_names(app), ", ")));
  }
  const std::string word = argv[1];
  if (word.empty() || word[0] == '-') return;
  const std::vector<std::string> names = verb_names(app);
  if (std::find(names.begin(), names.end(), word) != names.end()) return;
  const std::string near = did_you_mean(word, names);
  throw UsageError(fmt::format("there is no verb '{}'", word),
                   near.empty() ? fmt::format("the verbs are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean '{}'?", near));
}

UsageError usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const CLI::App& verb = chosen(app, argc, argv);
  const std::string all =
      &verb == &app ? "penstock --help" : fmt::format("penstock {} --help", verb.get_name());
  const std::vector<std::string> known = option_names(verb);
  const std::string unknown = unknown_option(known, argc, argv);
  if (!unknown.empty()) {
    const std::string near = did_you_mean(unknown, known);
    return UsageError(
        fmt::format("{} has no option {}", verb.get_name(), unknown),
        near.empty() ? all + " lists the options" : fmt::format("did you mean {}?", near));
  }
  if (&verb == &app) return UsageError("which verb?", all + " lists them");
  const std::string message = error.what();
  if (const size_t at = message.find(" excludes "); error.get_name() == "ExcludesError") {
    return UsageError(
        message.substr(0, at) + " and " + message.substr(at + 10) + " exclude each other",
        "give one of the two");
  }
  return UsageError(message, all + " says more");
}

std::string shell_answer(const CLI::App& app, const CLI::Success& success) {
  if (success.get_name() == "CallForVersion") return std::string(success.what()) + "\n";
  if (success.get_name() == "CallForAllHelp") return app.help("", CLI::AppFormatMode::All);
  return app.help();
}

}  // namespace penstock::cli
