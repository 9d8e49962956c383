#pragma once
/// A sweep for people and for tools.

#include <string>

#include "compare/sweep.h"

namespace penstock {

/// A table with one row a run, bars of the rates, where scaling stops.
std::string format_text(const Sweep& sweep);
std::string format_markdown(const Sweep& sweep);
/// {"sweep": 1, "vary": [...], "runs": [{"set", "predicted", "report"}], "curves": [...]}
std::string format_json(const Sweep& sweep);

/// Commands for gnuplot that draw the rates (measured and predicted) and the share of waiting over
/// the setting that varies as SVG on its standard output. Empty where no curve has two points.
std::string gnuplot_of(const Sweep& sweep);

}  // namespace penstock
