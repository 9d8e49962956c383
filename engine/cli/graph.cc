#include "report/graph.h"

#include <memory>

#include "cli/common.h"
#include "cli/program.h"

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

void draw(const Plan& plan) {
  std::string picture;
  const Outcome outcome = feed({"dot", "-Tsvg"}, format_dot(plan), &picture);
  if (outcome == Outcome::kMissing) throw UsageError(kNoDot, kDotHelp);
  if (outcome == Outcome::kFailed) throw std::runtime_error("dot failed to draw the graph");
  write_result(picture);
}

int graph_verb(const GraphFlags& flags) {
  const std::string& format = flags.common.format;
  if (flags.plan && format != "text") {
    throw UsageError("--plan is a table: it goes with --format text only");
  }
  const Pipeline pipeline = Pipeline::load(flags.file, flags.common.load());
  const Plan& plan = pipeline.plan();
  if (format == "svg") {
    draw(plan);
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
