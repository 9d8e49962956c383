#include "attribution/explain.h"

#include <fmt/format.h>

#include "attribution/evidence_json.h"
#include "attribution/score.h"
#include "diagnose/bounds.h"
#include "diagnose/simulate.h"

namespace penstock::bench::attribution {
namespace {

using Json = nlohmann::ordered_json;

NodeCosts* find(Costs* costs, const std::string& id) {
  for (NodeCosts& node : costs->nodes) {
    if (node.facts.id == id) return &node;
  }
  return nullptr;
}

void deepen(Costs* costs, uint64_t times) {
  for (EdgeFacts& edge : costs->edges) edge.capacity *= times;
}

/// "half map3" and the like, as written into the file.
Change change_from(const std::string& text, const std::string& answer) {
  const std::string verb = text.substr(0, text.find(' '));
  const size_t last = text.rfind(' ');
  const auto number = [&text, last] { return std::stoi(text.substr(last + 1)); };
  if (verb == "half") return {Lever::kHalf, answer, 2};
  if (verb == "slots") return {Lever::kSlots, answer, number()};
  if (verb == "threads") return {Lever::kThreads, "", number()};
  if (verb == "order") return {Lever::kOrder, text.substr(last + 1), 1};
  return {Lever::kQueues, "", 2};
}

std::string costs_text(const Costs& costs) {
  std::string text =
      fmt::format("  {:.2f} ms a batch, {:.2f} CPUs, {} threads, engine {:.2f} ms\n",
                  1e3 / costs.batches_per_s, costs.cpus, costs.threads, costs.engine_ms);
  for (const NodeCosts& node : costs.nodes) {
    text += fmt::format(
        "  {:10} {:2} slots, {:5.2f} x (cpu {:.2f} + off {:.2f} + queue {:.2f}), {:.2f} a batch; "
        "thread {:.2f} held {:.2f} blocked {:.2f} starved {:.2f}\n",
        node.facts.id, node.facts.slots, node.visits, node.cpu_ms, node.off_ms, node.queued_ms,
        node.visits * node.service_ms() / node.facts.slots, node.thread_wait_ms, node.held_ms,
        node.blocked_ms, node.starved_ms);
  }
  const ConsumerCosts& consumer = costs.consumer;
  return text + fmt::format("  consumer   cpu {:.2f} + off {:.2f} + queue {:.2f}, waits {:.2f}\n",
                            consumer.cpu_ms, consumer.off_ms, consumer.queued_ms, consumer.wait_ms);
}

}  // namespace

Costs with(const Costs& costs, const Change& change) {
  Costs changed = costs;
  NodeCosts* node = find(&changed, change.id);
  switch (change.lever) {
    case Lever::kHalf:
      (node != nullptr ? node->cpu_ms : changed.consumer.cpu_ms) /= 2;
      (node != nullptr ? node->off_ms : changed.consumer.off_ms) /= 2;
      break;
    case Lever::kSlots:
      if (node != nullptr) node->facts.slots = change.value;
      break;
    case Lever::kThreads:
      changed.threads = change.value;
      break;
    case Lever::kOrder:
      if (node != nullptr) node->facts.ordered = false;
      break;
    case Lever::kQueue:
    case Lever::kQueues:
      deepen(&changed, static_cast<uint64_t>(change.value));
      break;
  }
  return changed;
}

std::string explain(const Json& line) {
  const Score score = score_of(line);
  const Json& verdict = line["observed"]["verdict"];
  std::string text =
      fmt::format("seed {}: {} {}, margin {}; verdict {} {} ({:.2f}){}; {}\n", score.seed,
                  score.planted, line["case"]["limiters"].dump(), line["case"]["margin"].dump(),
                  score.limit, verdict["nodes"].dump(), score.confidence,
                  score.right ? "" : ", WRONG", verdict["reason"].get<std::string>());
  if (!line["observed"].contains("evidence")) return text;
  const Costs costs = evidence_from(line["observed"]["evidence"]).costs;
  const std::vector<double> rates = simulated_rates(costs);
  const double bound = lowest(bounds_of(costs)), model = simulated_rate(costs);
  text += costs_text(costs);
  text +=
      fmt::format("  bounds {:+.1f} %, model {:+.1f} % of the rate\n",
                  100 * (bound / costs.batches_per_s - 1), 100 * (model / costs.batches_per_s - 1));
  for (const Json& effect : line["effects"]) {
    const std::string name = effect["change"];
    const Costs changed = with(costs, change_from(name, effect["answer"]));
    const bool sure = effect.contains("rounds");
    text += fmt::format("  {:18} measured {:.3f}{}; bounds {:.3f}, model {:.3f}\n", name,
                        effect["gain"].get<double>(),
                        sure ? fmt::format(" ({:.3f} to {:.3f})", effect["low"].get<double>(),
                                           effect["high"].get<double>())
                             : "",
                        lowest(bounds_of(changed)) / bound, simulated_gain(rates, changed).value);
  }
  const Json& remedy = line["remedy"];
  if (!remedy.is_null() && !verdict["gain"].is_null()) {
    text += fmt::format("  advised: {}, measured {:.3f}, predicted {:.3f}\n",
                        remedy["change"].get<std::string>(), remedy["gain"].get<double>(),
                        verdict["gain"]["value"].get<double>());
  }
  return text;
}

}  // namespace penstock::bench::attribution
