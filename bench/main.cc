// penstock_bench: measurements of the engine, each next to its baseline. `penstock_bench list`
// names them; `penstock_bench NAME --format json` prints one object.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <climits>
#include <iostream>

#include "attribution/suite.h"
#include "measurement.h"
#include "penstock/plugin.h"

namespace penstock::bench {

namespace {

const std::vector<Measurement>& measurements() {
  static const std::vector<Measurement> all = {
      {"overhead", "engine cost per item and node against a plain flow graph", measure_overhead},
      {"blocking", "32 bodies that wait 2 ms against a bare pool of threads", measure_blocking},
      {"idle", "CPU of a graph whose consumer does not pull", measure_idle},
      {"cancel", "leaving an epoch in the middle, beyond the longest body", measure_cancel},
      {"start", "start to first batch against a program that only links the same", measure_start},
      {"digest", "one digest for any threads, slots, capacities and workers", measure_digest},
      {"pull", "time of 30 epochs of quickstart on one thread, for bench/clocks.sh", measure_pull},
      {"soak", "2,000 random graphs against the sequential reference", measure_soak},
      {"inflight", "items and bytes in flight against their bounds", measure_inflight},
      {"c_form", "an operator in the C form against the same one in C++", measure_c_form},
      {"device", "steps with copies behind them against the longer of copy and step",
       measure_device},
  };
  return all;
}

std::string own_folder() {
  char path[PATH_MAX] = {};
  if (readlink("/proc/self/exe", path, sizeof(path) - 1) <= 0) return ".";
  const std::string text = path;
  return text.substr(0, text.rfind('/'));
}

nlohmann::ordered_json to_json(const Measurement& measurement, const Result& result) {
  nlohmann::ordered_json json;
  json["name"] = measurement.name;
  json["value"] = result.value;
  json["unit"] = result.unit;
  json["baseline"] = nullptr;
  json["ratio"] = nullptr;
  if (result.baseline) {
    json["baseline"] = *result.baseline;
    json["baseline_name"] = result.baseline_name;
    if (*result.baseline != 0) json["ratio"] = result.value / *result.baseline;
  }
  if (result.ratio) json["ratio"] = *result.ratio;
  json["ok"] = result.ok;
  json["detail"] = result.detail;
  json["version"] = kVersion;
  json["machine"] = machine();
  return json;
}

void print_text(const nlohmann::ordered_json& json) {
  std::cout << json["name"].get<std::string>() << ": " << json["value"] << " "
            << json["unit"].get<std::string>();
  if (!json["baseline"].is_null()) {
    std::cout << "  (" << json["baseline_name"].get<std::string>() << ": " << json["baseline"]
              << ", ratio " << json["ratio"] << ")";
  }
  std::cout << "\n";
  for (const auto& [key, value] : json["detail"].items()) {
    std::cout << "  " << key << ": " << value.dump() << "\n";
  }
}

int list() {
  for (const Measurement& measurement : measurements()) {
    std::cout << measurement.name << std::string(12 - measurement.name.size(), ' ')
              << measurement.doc << "\n";
  }
  return 0;
}

int run(const std::string& name, const std::string& format, const Settings& settings) {
  if (name == "list") return list();
  if (name == "start-links" || name == "start-batch") {
    return start_child(settings, name == "start-batch");
  }
  for (const Measurement& measurement : measurements()) {
    if (measurement.name != name) continue;
    const Result result = measurement.run(settings);
    const auto json = to_json(measurement, result);
    if (format == "json") {
      std::cout << json.dump(2) << "\n";
    } else {
      print_text(json);
    }
    return result.ok ? 0 : 1;
  }
  std::cerr << "penstock_bench: no measurement '" << name
            << "'; `penstock_bench list` names them\n";
  return 2;
}

}  // namespace
}  // namespace penstock::bench

int main(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "attribution") {
    try {
      return penstock::bench::attribution::command(argc - 1, argv + 1);
    } catch (const std::exception& error) {
      std::cerr << "penstock_bench: " << error.what() << "\n";
      return 1;
    }
  }
  CLI::App app("Measurements of the engine, each next to its baseline.");
  std::string name, format = "text";
  penstock::bench::Settings settings;
  settings.program = penstock::bench::own_folder();
  app.add_option("name", name, "a measurement, or `list`")->required();
  app.add_option("--format", format, "text or json")->check(CLI::IsMember({"text", "json"}));
  app.add_option("--rounds", settings.rounds, "how often; 0: the measurement's own number");
  app.add_option("--device", settings.device, "where `device` copies to: simulated or cuda:0");
  app.add_option("--graph", settings.graph, "a pipeline instead of quickstart");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return penstock::bench::run(name, format, settings);
  } catch (const std::exception& error) {
    std::cerr << "penstock_bench: " << error.what() << "\n";
    return 1;
  }
}
