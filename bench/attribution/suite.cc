#include "attribution/suite.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iostream>
#include <set>
#include <stdexcept>

#include "attribution/child.h"
#include "attribution/generate.h"
#include "attribution/truth.h"
#include "measure/machine.h"
#include "measurement.h"

namespace penstock::bench::attribution {
namespace {

constexpr uint64_t kObservedPeriods = 10;  // three stretches of recorded firings
constexpr RunLength kBrief = {41, 10};     // half a period: enough to see what is not the best
constexpr double kSeconds = 14.5;          // for the truth about one pipeline

nlohmann::ordered_json to_json(const Effect& effect) {
  nlohmann::ordered_json json = {{"change", effect.text}, {"gain", effect.gain}};
  if (effect.changes.size() == 1) json["answer"] = effect.changes.front().answer();
  if (effect.rounds == 0) return json;
  json["low"] = effect.low;
  json["high"] = effect.high;
  json["rounds"] = effect.rounds;
  return json;
}

std::vector<Change> changes_from(const nlohmann::ordered_json& json) {
  std::vector<Change> changes;
  for (const auto& one : json) {
    changes.push_back({static_cast<Lever>(one["lever"].get<int>()), one["id"].get<std::string>(),
                       one["value"].get<int>()});
  }
  return changes;
}

/// Load before and CPU time that others and the host took meanwhile, as parts of one CPU.
class Disturbance {
 public:
  Disturbance() : cpus_(cpu_affinity()), before_(cpu_times(cpus_)), began_(wall_now()) {
    std::ifstream("/proc/loadavg") >> load_;
  }
  nlohmann::ordered_json json() const {
    const CpuTimes after = cpu_times(cpus_);
    const auto window = static_cast<double>(wall_now() - began_);
    return {{"load", load_},
            {"steal", static_cast<double>(after.steal_ns - before_.steal_ns) / window},
            {"busy", static_cast<double>(after.busy_ns - before_.busy_ns) / window},
            {"seconds", window / 1e9}};
  }

 private:
  std::vector<int> cpus_;
  CpuTimes before_;
  int64_t began_;
  double load_ = 0;
};

}  // namespace

nlohmann::ordered_json measure_pipeline(uint64_t seed) {
  const Disturbance disturbance;
  const PipelineCase pipeline = generate(seed);
  nlohmann::ordered_json line = {{"layout", kLayout}, {"seed", seed}};
  line["case"] = to_json(pipeline);
  auto seen = observe(pipeline, run_length(kObservedPeriods));
  // What the verdict asks for where it refuses.
  if (!seen.value("steady", true)) seen = observe(pipeline, run_length(2 * kObservedPeriods));
  if (seen.contains("error")) {
    line["error"] = seen["error"];
    return line;
  }
  const auto measure = [](const PipelineCase& changed, bool brief) {
    return measure_rate(changed, brief ? kBrief : run_length(1));
  };
  const Truth truth = find_truth(pipeline, changes_from(seen["advised"]), kSeconds, measure);
  for (const Effect& effect : truth.effects) line["effects"].push_back(to_json(effect));
  line["remedy"] = truth.remedy ? to_json(*truth.remedy) : nlohmann::ordered_json(nullptr);
  line["half_width"] = truth.half_width;
  line["runs"] = truth.runs;
  line["observed"] = seen;
  line["machine"] = disturbance.json();
  return line;
}

std::vector<uint64_t> seeds_from(const std::string& text) {
  const auto number = [&text](const std::string& part) {
    uint64_t value = 0;
    const auto [end, fault] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (fault != std::errc() || end != part.data() + part.size()) {
      throw std::invalid_argument("seeds are 1..40 or 3,7,12, not '" + text + "'");
    }
    return value;
  };
  std::vector<uint64_t> seeds;
  if (const size_t dots = text.find(".."); dots != std::string::npos) {
    const uint64_t last = number(text.substr(dots + 2));
    for (uint64_t seed = number(text.substr(0, dots)); seed <= last; ++seed) seeds.push_back(seed);
    return seeds;
  }
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    seeds.push_back(number(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return seeds;
}

std::vector<nlohmann::ordered_json> read_lines(const std::string& path) {
  std::vector<nlohmann::ordered_json> lines;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    auto line = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!line.is_discarded() && line.value("layout", 0) == kLayout)
      lines.push_back(std::move(line));
  }
  return lines;
}

void measure_all(const std::vector<uint64_t>& seeds, const std::string& path) {
  std::set<uint64_t> there;
  for (const auto& line : read_lines(path)) there.insert(line["seed"].get<uint64_t>());
  std::ofstream file(path, std::ios::app);
  if (!file) throw std::runtime_error("cannot write " + path);
  for (const uint64_t seed : seeds) {
    if (there.contains(seed)) continue;
    const auto line = measure_pipeline(seed);
    file << line.dump() << std::endl;
    std::cerr << fmt::format("seed {}: {}, {}\n", seed, line["case"]["planted"].get<std::string>(),
                             line.contains("error")
                                 ? line["error"].get<std::string>()
                                 : line["observed"]["verdict"]["limit"].get<std::string>());
  }
}

}  // namespace penstock::bench::attribution
