#include <fmt/core.h>

#include "report/sweep_format.h"
#include "report/words.h"

namespace penstock {
namespace {

/// A text of gnuplot between single quotes, in which nothing is interpreted.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : fit(text, 80)) result += c == '\'' ? std::string("''") : std::string(1, c);
  return result + "'";
}

std::string title_of(const Sweep& sweep, const Curve& curve) {
  std::string title;
  const SweepRow& row = sweep.runs[curve.runs.front()].row;
  for (size_t i = 0; i < sweep.keys.size(); ++i) {
    if (i == curve.key || !row.values[i]) continue;
    title += (title.empty() ? "" : ", ") + sweep.keys[i].key + "=" + *row.values[i];
  }
  return title;
}

/// Axis value by its label, ex/s, predicted (or NaN), share of waiting.
std::string data_block(const Sweep& sweep, const Curve& curve, size_t index) {
  std::string text = fmt::format("$curve{} << EOD\n", index);
  for (const size_t r : curve.runs) {
    const SweepRun& run = sweep.runs[r];
    const std::string& value = *run.row.values[curve.key];
    const double predicted = run.predicted ? run.predicted->examples_per_s : 0;
    text += fmt::format("{} {} {} {}\n", number_of(value).value_or(0), run.report->examples_per_s,
                        predicted > 0 ? fmt::format("{}", predicted) : "NaN",
                        run.report->wait_fraction);
  }
  return text + "EOD\n";
}

std::string plots_of(const Sweep& sweep, const std::vector<Curve>& curves) {
  std::string plots;
  for (size_t i = 0; i < curves.size(); ++i) {
    const std::string title = title_of(sweep, curves[i]);
    const std::string suffix = title.empty() ? "" : " (" + title + ")";
    const auto line = [&](const char* columns, const std::string& name, const char* style) {
      plots += fmt::format("{}$curve{} using {} title {} with {} lc {}", plots.empty() ? "" : ", ",
                           i, columns, quoted(name + suffix), style, i + 1);
    };
    line("1:2", "ex/s", "linespoints pt 7");
    line("1:3", "predicted", "lines dt 2");
    line("1:4 axes x1y2", "wait_frac", "lines dt 3");
  }
  return plots;
}

}  // namespace

std::string gnuplot_of(const Sweep& sweep) {
  std::vector<Curve> curves = curves_of(sweep);
  std::erase_if(curves, [](const Curve& curve) { return curve.runs.size() < 2; });
  if (curves.empty()) return "";
  std::string text = fmt::format(
      "set encoding utf8\nset terminal svg size 800,500 noenhanced background 'white'\n"
      "set title {}\nset xlabel {}\nset ylabel 'ex/s'\nset y2label 'wait_frac'\n"
      "set yrange [0:*]\nset y2range [0:1]\nset ytics nomirror\nset y2tics\nset grid\n"
      "set key outside bottom center\n",
      quoted(sweep.pipeline), quoted(sweep.keys[curves.front().key].key));
  for (size_t i = 0; i < curves.size(); ++i) text += data_block(sweep, curves[i], i);
  return text + "plot " + plots_of(sweep, curves) + "\n";
}

}  // namespace penstock
