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

/// All of them, in order. Warnings are printed, each once. Throws InvalidPipeline with the mistakes
/// of all; with several files a mistake on the command line names the file that it was made for.
std::vector<Pipeline> load_all(const std::vector<Variant>& variants, const CommonOptions& common,
                               Console& console);

}  // namespace penstock::cli
