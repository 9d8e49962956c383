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

/// The verb that the command line names (or the top of it), and how one calls it.
struct Chosen {
  const CLI::App* app;
  std::string command = "penstock";
};

Chosen chosen(const CLI::App& app, int argc, char** argv) {
  Chosen result{.app = &app};
  for (int i = 1; i < argc; ++i) {
    const CLI::App* next = nullptr;
    for (const CLI::App* verb : result.app->get_subcommands(nullptr)) {
      if (verb->get_name() == argv[i]) next = verb;
    }
    if (next == nullptr) break;
    result = {.app = next, .command = result.command + " " + next->get_name()};
  }
  return result;
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
  const Chosen verb = chosen(app, argc, argv);
  const std::vector<std::string> names = verb_names(*verb.app);
  if (names.empty()) return;
  const auto index = std::count(verb.command.begin(), verb.command.end(), ' ') + 1;
  if (argc <= index) {
    throw UsageError("which verb?", fmt::format("{}; {} --help says what they do",
                                                fmt::join(names, ", "), verb.command));
  }
  const std::string word = argv[index];
  if (word.empty() || word[0] == '-') return;
  const std::string near = did_you_mean(word, names);
  throw UsageError(fmt::format("there is no verb '{}'", word),
                   near.empty() ? fmt::format("the verbs are {}", fmt::join(names, ", "))
                                : fmt::format("did you mean '{}'?", near));
}

UsageError usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const auto [found, command] = chosen(app, argc, argv);
  const CLI::App& verb = *found;
  const std::string all = command + " --help";
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
