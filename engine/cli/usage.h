#pragma once
/// Messages for command lines that make no sense.

#include <CLI/CLI.hpp>
#include <string>

#include "cli/common.h"

namespace penstock::cli {

/// Throws UsageError with a suggestion when the first argument is meant as a verb and is none.
void check_verb(const CLI::App& app, int argc, char** argv);

/// The parser's complaint in our words, with a suggestion for a misspelt option.
UsageError usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv);

/// What --help or --version prints.
std::string shell_answer(const CLI::App& app, const CLI::Success& success);

}  // namespace penstock::cli
