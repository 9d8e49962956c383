#include "cli/plugin.h"

#include <memory>

namespace penstock::cli {
namespace {

constexpr const char* kExamples =
    "  penstock plugin new brighten --kind map\n"
    "  penstock plugin check build/brighten.so";

void add_new(Shell& shell, CLI::App* plugin) {
  const auto flags = std::make_shared<NewPluginFlags>();
  CLI::App* verb = plugin->add_subcommand("new", "Write a project with one operator to ./NAME");
  verb->add_option("NAME", flags->name, "Name of the operator and its folder")
      ->required()
      ->type_name("");
  verb->add_option("--kind", flags->kind, "What it does to the stream (default map)")
      ->type_name("map|source|expand|collate")
      ->check(CLI::IsMember({"map", "source", "expand", "collate"}).description(""));
  verb->callback([&shell, flags] { shell.action = [flags] { return new_plugin(*flags); }; });
}

void add_check_file(Shell& shell, CLI::App* plugin) {
  const auto flags = std::make_shared<CheckPluginFlags>();
  CLI::App* verb = plugin->add_subcommand(
      "check", "Try every operator of a library: does it keep what it promises?");
  verb->add_option("FILE", flags->file, "The operator library")->required()->type_name("");
  verb->add_option("--set", flags->common.set,
                   "Override a parameter of an operator's example, records.path=data.rec "
                   "(repeatable)")
      ->type_name("OP.PARAM=VALUE")
      ->allow_extra_args(false);
  add_format(verb, &flags->common);
  on_chosen(shell, verb, flags, check_plugin);
}

}  // namespace

void add_plugin(Shell& shell) {
  CLI::App* verb = add_verb(shell, "plugin", "Write an operator library, or check one", kExamples);
  verb->require_subcommand(1);
  add_new(shell, verb);
  add_check_file(shell, verb);
}

}  // namespace penstock::cli
