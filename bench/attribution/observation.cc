#include "attribution/observation.h"

#include <algorithm>
#include <charconv>

#include "attribution/evidence_json.h"
#include "diagnose/remedy.h"
#include "report/verdict_format.h"

namespace penstock::bench::attribution {
namespace {

/// "nodes.read0.concurrency=3" and the like; nothing for what only the user can do.
std::optional<Change> from_setting(const std::string& setting) {
  const size_t equals = setting.find('=');
  if (equals == std::string::npos) return std::nullopt;
  const std::string key = setting.substr(0, equals), text = setting.substr(equals + 1);
  int value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  if (key == "threads") return Change{Lever::kThreads, "", value};
  if (key == "consumer.queue.items") return Change{Lever::kQueue, "consumer", value};
  if (key.rfind("nodes.", 0) != 0) return std::nullopt;
  const size_t end = key.find('.', 6);
  const std::string id = key.substr(6, end - 6), what = key.substr(end + 1);
  if (what == "concurrency") return Change{Lever::kSlots, id, value};
  if (what == "order") return Change{Lever::kOrder, id, 1};
  if (what == "queue.items") return Change{Lever::kQueue, id, value};
  return std::nullopt;
}

/// Limits that a list in a verdict means: ids, "consumer", "cpu", "threads".
std::vector<Bound> bounds_named(const std::vector<std::string>& names, const Costs& costs) {
  std::vector<Bound> named;
  for (const Bound& bound : bounds_of(costs)) {
    const std::string name = bound.resource == Resource::kSlots ? costs.nodes[bound.node].facts.id
                                                                : limit_name(bound.resource);
    if (std::find(names.begin(), names.end(), name) != names.end()) named.push_back(bound);
  }
  return named;
}

/// The largest demand on the CPU that can be made smaller.
std::string hungriest(const Costs& costs) {
  std::string id = "consumer";
  double most = costs.consumer.cpu_ms;
  for (const NodeCosts& node : costs.nodes) {
    if (node.cpu_per_batch() <= most) continue;
    most = node.cpu_per_batch();
    id = node.facts.id;
  }
  return id;
}

std::vector<Change> for_all(const Verdict& verdict, const Costs& costs) {
  const std::vector<Bound> limits = bounds_named(verdict.nodes, costs);
  const double next = next_rate(bounds_of(costs), limits);
  std::vector<Change> changes;
  Costs so_far = costs;
  for (const Bound& limit : limits) {
    const auto remedy = remedy_for(so_far, limit, next);
    so_far = remedy.costs;
    const auto setting = from_setting(remedy.set);
    if (setting) {
      changes.push_back(*setting);
    } else if (limit.resource == Resource::kSlots) {
      changes.push_back({Lever::kHalf, costs.nodes[limit.node].facts.id, 2});
    } else {
      const bool cpu = limit.resource == Resource::kCpu;
      changes.push_back({Lever::kHalf, cpu ? hungriest(costs) : "consumer", 2});
    }
  }
  return changes;
}

nlohmann::ordered_json texts(const std::vector<Change>& changes) {
  auto list = nlohmann::ordered_json::array();
  for (const Change& change : changes) {
    list.push_back({{"lever", static_cast<int>(change.lever)},
                    {"id", change.id},
                    {"value", change.value},
                    {"text", change.text()}});
  }
  return list;
}

}  // namespace

std::vector<Change> advised(const Verdict& verdict, const Costs& costs) {
  if (!verdict.gain) return {};
  if (verdict.limit == "co_limited" || verdict.limit == "none") return for_all(verdict, costs);
  if (verdict.remedy) {
    if (const auto setting = from_setting(*verdict.remedy)) return {*setting};
  }
  if (verdict.limit == "cpu") return {{Lever::kHalf, hungriest(costs), 2}};
  if (verdict.nodes.empty()) return {};
  return {{Lever::kHalf, verdict.nodes.front(), 2}};
}

nlohmann::ordered_json observation(const GraphFacts& graph, const MachineFacts& machine,
                                   const RunLog& log, std::optional<double> reference_ms) {
  if (log.marks.size() < 2) return {{"error", "the run kept no states"}};
  const SteadyPart part = find_steady(log, sources_of(graph));
  const bool found = part.first < part.last;
  const Snapshot& begin = log.marks[found ? part.first : 0];
  const Snapshot& end = found ? log.marks[part.last] : log.marks.back();
  const Costs costs = costs_of(graph, machine, begin, end, reference_ms);
  const Verdict verdict = diagnose_run(graph, machine, log, reference_ms);
  nlohmann::ordered_json json;
  json["verdict"] = verdict_format::json_of(verdict);
  json["advised"] = texts(advised(verdict, costs));
  json["hungriest"] = hungriest(costs);
  json["baselines"] = baselines(graph, costs, begin, end);
  json["steady"] = part.refusal.empty();
  json["drift"] = part.interval_ms.drift;
  if (const auto evidence = steady_evidence(graph, machine, log, reference_ms)) {
    json["evidence"] = to_json(*evidence);
  }
  return json;
}

}  // namespace penstock::bench::attribution
