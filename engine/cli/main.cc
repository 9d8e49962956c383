/// penstock: the command line.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "cli/common.h"
#include "cli/exit_guard.h"
#include "cli/usage.h"
#include "penstock/plugin.h"

namespace penstock::cli {
namespace {

constexpr const char* kAbout =
    "Penstock runs input pipelines for training and measures which stage cannot keep up.";

/// Options without the parser's own remarks.
class PlainFormatter : public CLI::Formatter {
 public:
  PlainFormatter() {
    label("SUBCOMMAND", "VERB");
    label("Subcommands", "Verbs");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() ? "" : " " + option->get_type_name();
  }
};

/// Parses, and does what the verb does or what --help and --version ask for.
int perform(Shell& shell, int argc, char** argv) {
  try {
    shell.app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    write_result(shell_answer(shell.app, success));
    return kOk;
  }
  return shell.action();
}

int dispatch(Shell& shell, int argc, char** argv) {
  try {
    check_verb(shell.app, argc, argv);
    return perform(shell, argc, argv);
  } catch (const CLI::ParseError& error) {
    const UsageError usage = usage_error(shell.app, error, argc, argv);
    print_error(usage.what(), usage.help());
    return kUsage;
  } catch (const UsageError& error) {
    print_error(error.what(), error.help());
    return kUsage;
  } catch (const InvalidPipeline& invalid) {
    print_diagnostics(invalid.diagnostics(), shell.json);
    return kBadPipeline;
  } catch (const RunError& error) {
    print_error(error.what());
    return kFailed;
  } catch (const std::bad_alloc&) {
    print_error("out of memory");
    return kFailed;
  } catch (const std::exception& error) {
    print_error(error.what());
    return kFailed;
  }
}

/// Where nothing can be thrown any more: the engine's bookkeeping ran out of memory, or a bug.
[[noreturn]] void end_program() {
  const auto say = [](const char* text) {
    static_cast<void>(!write(STDERR_FILENO, text, std::strlen(text)));
  };
  try {
    if (const std::exception_ptr cause = std::current_exception()) std::rethrow_exception(cause);
  } catch (const std::bad_alloc&) {
    say("error: out of memory\n");
    _exit(kFailed);
  } catch (const std::exception& error) {
    say("error: ");
    say(error.what());
    say("\n");
  } catch (...) {
    say("error: something that is no std::exception was thrown\n");
  }
  std::abort();
}

}  // namespace
}  // namespace penstock::cli

int main(int argc, char** argv) {
  using namespace penstock::cli;
  // A closed pipe, and a file beyond its limit, are seen where the result is written.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  std::set_terminate(end_program);
  const ExitGuard guard;
  Shell shell;
  shell.app.formatter(std::make_shared<PlainFormatter>());
  shell.app.description(kAbout);
  shell.app.name("penstock");
  shell.app.require_subcommand(1);
  shell.app.set_version_flag("--version", std::string("penstock ") + penstock::kVersion,
                             "Print the version");
  shell.app.set_help_flag("-h,--help", "Print this help");
  shell.app.footer("penstock VERB --help tells more and shows two examples.");
  add_run(shell);
  add_diagnose(shell);
  add_sweep(shell);
  add_compare(shell);
  add_check(shell);
  add_inspect(shell);
  add_graph(shell);
  add_list(shell);
  add_describe(shell);
  add_schema(shell);
  add_plugin(shell);
  return dispatch(shell, argc, argv);
}
