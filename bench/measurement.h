#pragma once
/// The measurements of penstock_bench: each is a function that measures something and its baseline
/// side by side, in one run.

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace penstock::bench {

struct Settings {
  int rounds = 0;  ///< 0: the measurement's own number
  /// Folder of this program; the operators' library is in ../lib, pipelines in ../../graphs.
  std::string program;
  std::string device = "simulated";
  std::string graph;  ///< a pipeline for those that run one; empty: quickstart
};

struct Result {
  double value = 0;
  std::string unit;
  std::optional<double> baseline;  ///< in the same unit, measured in the same run
  std::string baseline_name;
  std::optional<double> ratio;    ///< what the bar is about where it is not value / baseline
  bool ok = true;                 ///< false: a check failed, the exit code says so
  nlohmann::ordered_json detail;  ///< further figures
};

struct Measurement {
  std::string name, doc;
  std::function<Result(const Settings&)> run;
};

Result measure_overhead(const Settings& settings);
Result measure_blocking(const Settings& settings);
Result measure_idle(const Settings& settings);
Result measure_cancel(const Settings& settings);
Result measure_start(const Settings& settings);
Result measure_digest(const Settings& settings);
Result measure_pull(const Settings& settings);
Result measure_soak(const Settings& settings);
Result measure_inflight(const Settings& settings);
Result measure_c_form(const Settings& settings);
Result measure_device(const Settings& settings);

/// The two hidden modes that measure_start() times: open the libraries, or fetch the first batch.
int start_child(const Settings& settings, bool run);

/// The pipeline that was asked for, else quickstart.
std::string graph_of(const Settings& settings);
/// Process CPU time and CLOCK_MONOTONIC, nanoseconds.
int64_t cpu_now();
int64_t wall_now();
double median(std::vector<double> values);
/// Facts of the machine and of this build.
nlohmann::ordered_json machine();
/// {"median", "low", "high", "count"}
nlohmann::ordered_json spread(const std::vector<double>& values);

}  // namespace penstock::bench
