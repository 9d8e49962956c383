#include "cli/common.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace penstock::cli {
namespace {

CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](std::string& text) -> std::string {
        if (std::find(words.begin(), words.end(), text) != words.end()) return "";
        return fmt::format("'{}' is none of {}", text, fmt::join(words, ", "));
      },
      "");
}

}  // namespace

Verbosity CommonOptions::level() const {
  if (verbosity == "quiet") return Verbosity::kQuiet;
  return verbosity == "verbose" ? Verbosity::kVerbose : Verbosity::kNormal;
}

CLI::App* add_verb(Shell& shell, const std::string& name, const std::string& doc,
                   const std::string& examples) {
  CLI::App* verb = shell.app.add_subcommand(name, doc);
  verb->footer("Examples:\n" + examples);
  return verb;
}

void add_set(CLI::App* verb, CommonOptions* options) {
  verb->add_option("--set", options->set,
                   "Override a value of the file, nodes.decode.concurrency=4 (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

void add_plugins(CLI::App* verb, CommonOptions* options) {
  verb->add_option("--plugin", options->plugins, "Load an operator library (repeatable)")
      ->type_name("FILE")
      ->allow_extra_args(false);
}

void add_format(CLI::App* verb, CommonOptions* options, const std::vector<std::string>& formats) {
  verb->add_option("--format", options->format, "Form of the result")
      ->type_name(fmt::format("{}", fmt::join(formats, "|")))
      ->check(one_of(formats));
}

void add_verbosity(CLI::App* verb, CommonOptions* options) {
  verb->add_option("--verbosity", options->verbosity,
                   "quiet: errors only; verbose: every warning, and what happens when")
      ->type_name("quiet|normal|verbose")
      ->check(one_of({"quiet", "normal", "verbose"}));
}

void add_file(CLI::App* verb, std::string* file) {
  verb->add_option("FILE", *file, "The pipeline, a YAML file")->required()->type_name("");
}

CLI::Option* add_seconds(CLI::App* verb, double* seconds, const std::string& doc) {
  return verb->add_option("--seconds", *seconds, doc)
      ->type_name("S")
      ->check(CLI::Range(0.1, 86400.0).description(""))
      ->check(CLI::Validator(
          [](std::string& text) {  // not a number is outside of no range
            return text.find_first_of("nN") == std::string::npos ? "" : "'" + text + "' is no time";
          },
          ""));
}

void add_run_length(CLI::App* verb, double* seconds, std::optional<uint64_t>* batches) {
  CLI::Option* time = add_seconds(
      verb, seconds, "Length of each run (default 3; up to twice as long while batches are few)");
  verb->add_option("--batches", *batches, "Length of each run in batches instead")
      ->type_name("N")
      ->excludes(time)
      ->check(at_least(1));
}

CLI::Validator at_least(uint64_t least, uint64_t most) {
  return CLI::Validator(
      [least, most](std::string& text) -> std::string {
        uint64_t value = 0;
        const char* end = text.data() + text.size();
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        if (error == std::errc::result_out_of_range || (stop == end && value > most)) {
          return fmt::format("'{}' is more than {}", text, most);
        }
        if (error == std::errc() && stop == end && value >= least) return "";
        return fmt::format("'{}' is not a whole number of at least {}", text, least);
      },
      "");
}

bool write_result(const std::string& text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0) {
    return true;
  }
  if (errno == EPIPE) return false;
  throw std::runtime_error(std::string("cannot write the result: ") + std::strerror(errno));
}

void write_stderr(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void print_error(const std::string& message, const std::string& help) {
  const bool colour = isatty(STDERR_FILENO) != 0;
  write_stderr(fmt::format("{}error:{} {}\n", colour ? "\033[1;31m" : "", colour ? "\033[0m" : "",
                           printable(message)));
  if (!help.empty()) write_stderr(fmt::format("  help: {}\n", printable(help)));
}

void print_diagnostics(const std::vector<Diagnostic>& diagnostics, bool json) {
  if (diagnostics.empty()) return;
  write_stderr(json ? format_json(diagnostics) : format_text(diagnostics));
}

}  // namespace penstock::cli
