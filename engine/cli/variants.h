#pragma once
/// Several settings of pipelines, all checked before the first of them runs.

#include <string>
#include <vector>

#include "cli/common.h"
#include "cli/console.h"
#include "penstock/pipeline.h"

namespace penstock::cli {

/// One pipeline as it is to be run.
struct Variant {
  std::string file;
  std::vector<std::string> set;     ///< as --set
  std::vector<std::string> varied;  ///< the same, by --vary: mistakes in them say so
};

/// Throws UsageError where assignments ("KEY=VALUES", as --set and --vary) contradict each other,
/// or set the length of runs that have one of their own; `help` says what sets it.
void check_assignments(const std::vector<std::string>& set, const std::vector<std::string>& vary,
                       const std::string& help =
                           "--seconds or --batches sets the length of each "
                           "run");

/// All of them, in order. Warnings are printed, each once. Throws InvalidPipeline with the mistakes
/// of all; with several files a mistake on the command line names the file that it was made for.
std::vector<Pipeline> load_all(const std::vector<Variant>& variants, const CommonOptions& common,
                               Console& console);

}  // namespace penstock::cli
