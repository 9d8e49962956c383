#pragma once
/// What the verbs share: options, exit codes, output.

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "penstock/pipeline.h"

namespace penstock::cli {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;
inline constexpr int kUsage = 2;
inline constexpr int kBadPipeline = 78;  ///< EX_CONFIG of sysexits.h
inline constexpr int kInterrupted = 130;

/// A command line that makes no sense: exit code 2.
class UsageError : public std::runtime_error {
 public:
  explicit UsageError(const std::string& message, std::string help = "")
      : std::runtime_error(message), help_(std::move(help)) {}
  const std::string& help() const { return help_; }

 private:
  std::string help_;
};

enum class Verbosity { kQuiet, kNormal, kVerbose };

/// Options that every verb has; those that make no sense for it are not registered.
struct CommonOptions {
  std::vector<std::string> set, plugins;
  std::string format = "text";
  std::string verbosity = "normal";

  bool json() const { return format == "json"; }
  LoadOptions load() const { return {.set = set, .plugins = plugins}; }
  Verbosity level() const;
};

/// The parser, and what the chosen verb does once parsing is over.
struct Shell {
  CLI::App app;
  std::function<int()> action;
  bool json = false;  ///< the chosen verb's --format, for diagnostics
};

/// A verb with its two examples.
CLI::App* add_verb(Shell& shell, const std::string& name, const std::string& doc,
                   const std::string& examples);
void add_set(CLI::App* verb, CommonOptions* options);
void add_plugins(CLI::App* verb, CommonOptions* options);
void add_format(CLI::App* verb, CommonOptions* options,
                const std::vector<std::string>& formats = {"text", "json"});
void add_verbosity(CLI::App* verb, CommonOptions* options);
/// What happens once the parser has chosen that verb; its flags have `common` options.
template <typename Flags, typename Action>
void on_chosen(Shell& shell, CLI::App* verb, const std::shared_ptr<Flags>& flags, Action action) {
  verb->callback([&shell, flags, action] {
    shell.json = flags->common.json();
    shell.action = [flags, action] { return action(*flags); };
  });
}
/// The positional FILE.
void add_file(CLI::App* verb, std::string* file);
/// --seconds of verbs that make several runs.
CLI::Option* add_seconds(CLI::App* verb, double* seconds, const std::string& doc);
/// --seconds or --batches of such verbs.
void add_run_length(CLI::App* verb, double* seconds, std::optional<uint64_t>* batches);
/// A whole number of at least `least` and at most `most`.
CLI::Validator at_least(uint64_t least, uint64_t most = INT64_MAX);

/// Writes a result to stdout. False: nobody reads it any more (a closed pipe), which is no error;
/// throws std::runtime_error when it cannot be written (a full disk).
bool write_result(const std::string& text);

/// Writes a result that can be said in all three forms in the one that was asked for.
template <typename Result>
void write_formatted(const CommonOptions& options, const Result& result) {
  if (options.json()) {
    write_result(format_json(result));
  } else if (options.format == "markdown") {
    write_result(format_markdown(result));
  } else {
    write_result(format_text(result));
  }
}

/// What cannot be written there is lost: nobody else could be told.
void write_stderr(const std::string& text);
/// Prints "error: ..." and "  help: ..." on stderr, in colour on a terminal.
void print_error(const std::string& message, const std::string& help = "");
/// Prints diagnostics on stderr in the form that was asked for.
void print_diagnostics(const std::vector<Diagnostic>& diagnostics, bool json);

// One file a verb.
void add_run(Shell& shell);
void add_diagnose(Shell& shell);
void add_sweep(Shell& shell);
void add_compare(Shell& shell);
void add_check(Shell& shell);
void add_inspect(Shell& shell);
void add_list(Shell& shell);
void add_describe(Shell& shell);
void add_graph(Shell& shell);
void add_plugin(Shell& shell);
void add_schema(Shell& shell);

}  // namespace penstock::cli
