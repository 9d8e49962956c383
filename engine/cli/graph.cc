#include "report/graph.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <thread>

#include "cli/common.h"

extern char** environ;

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock graph train.yaml --format svg > train.svg\n"
    "  penstock graph train.yaml --plan";

struct GraphFlags {
  CommonOptions common;
  std::string file;
  bool plan = false;
};

constexpr const char* kNoDot = "the program 'dot' is needed for --format svg";
constexpr const char* kDotHelp =
    "install graphviz (apt-get install graphviz), or use --format dot or mermaid";

/// Feeds `input` to `dot -Tsvg`, whose output goes to our stdout.
void run_dot(const std::string& input) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) throw std::runtime_error(std::strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[0], STDIN_FILENO);
  posix_spawn_file_actions_addclose(&actions, pipe_ends[0]);
  posix_spawn_file_actions_addclose(&actions, pipe_ends[1]);
  char name[] = "dot", flag[] = "-Tsvg";
  char* const arguments[] = {name, flag, nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, "dot", &actions, nullptr, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[0]);
  for (size_t sent = 0; error == 0 && sent < input.size();) {
    const ssize_t n = write(pipe_ends[1], input.data() + sent, input.size() - sent);
    if (n <= 0) break;  // dot went away: its exit status tells
    sent += static_cast<size_t>(n);
  }
  close(pipe_ends[1]);
  if (error != 0) throw UsageError(kNoDot, kDotHelp);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) throw UsageError(kNoDot, kDotHelp);
  if (status != 0) throw std::runtime_error("dot failed to draw the graph");
}

int graph_verb(const GraphFlags& flags) {
  const std::string& format = flags.common.format;
  if (flags.plan && format != "text") {
    throw UsageError("--plan is a table: it goes with --format text only");
  }
  const Pipeline pipeline = Pipeline::load(flags.file, flags.common.load());
  const Plan& plan = pipeline.plan();
  if (format == "svg") {
    run_dot(format_dot(plan));
  } else if (format == "dot") {
    write_result(format_dot(plan));
  } else if (format == "mermaid") {
    write_result(format_mermaid(plan));
  } else {
    write_result(format_plan_text(plan, flags.plan));
  }
  return kOk;
}

}  // namespace

void add_graph(Shell& shell) {
  const auto flags = std::make_shared<GraphFlags>();
  CLI::App* verb = add_verb(shell, "graph", "Draw a pipeline", kExamples);
  add_file(verb, &flags->file);
  verb->add_flag("--plan", flags->plan, "What is scheduled: units, slots, order, threads");
  add_set(verb, &flags->common);
  add_plugins(verb, &flags->common);
  add_format(verb, &flags->common, {"text", "dot", "mermaid", "svg"});
  verb->callback([&shell, flags] { shell.action = [flags] { return graph_verb(*flags); }; });
}

}  // namespace penstock::cli
