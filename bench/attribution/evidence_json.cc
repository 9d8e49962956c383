#include "attribution/evidence_json.h"

#include "diagnose/latencies.h"

namespace penstock {

// Found by the library where it meets these types. The order of the members is that of the structs.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(UnitFacts, id, op, slots, pooled, serial, ordered,
                                                in_turns, in_edges, out_edges)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EdgeFacts, from, to, capacity)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(NodeCosts, facts, visits, cpu_ms, off_ms, queued_ms,
                                                thread_wait_ms, handover_ms, held_ms, blocked_ms,
                                                starved_ms, taken, given, spread, trace, takes,
                                                gives)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PathBlame, nodes, consumer, threads, memory, engine, unknown,
                                   total, batches)

}  // namespace penstock

namespace penstock::bench::attribution {

nlohmann::ordered_json to_json(const Evidence& evidence) {
  const Costs& costs = evidence.costs;
  const ConsumerCosts& consumer = costs.consumer;
  nlohmann::ordered_json json;
  json["nodes"] = nlohmann::json(costs.nodes);
  json["edges"] = nlohmann::json(costs.edges);
  json["consumer"] = {consumer.cpu_ms, consumer.off_ms, consumer.queued_ms, consumer.wait_ms,
                      consumer.reference_ms.value_or(-1)};
  json["consumer_spread"] = consumer.spread;
  json["consumer_trace"] = consumer.trace;
  json["engine_ms"] = costs.engine_ms;
  json["cpus"] = {costs.cpus, costs.cpus_allowed};
  json["threads"] = costs.threads;
  json["rate"] = {costs.batches_per_s, costs.examples_per_batch};
  json["batches"] = costs.batches;
  json["rate_error"] = evidence.rate_error;
  json["path"] = nlohmann::json(evidence.path);
  return json;
}

Evidence evidence_from(const nlohmann::ordered_json& ordered) {
  const nlohmann::json json = nlohmann::json::parse(ordered.dump());
  Evidence evidence;
  Costs& costs = evidence.costs;
  costs.nodes = json.at("nodes").get<std::vector<NodeCosts>>();
  costs.edges = json.at("edges").get<std::vector<EdgeFacts>>();
  const auto consumer = json.at("consumer").get<std::vector<double>>();
  costs.consumer.cpu_ms = consumer.at(0);
  costs.consumer.off_ms = consumer.at(1);
  costs.consumer.queued_ms = consumer.at(2);
  costs.consumer.wait_ms = consumer.at(3);
  if (consumer.at(4) >= 0) costs.consumer.reference_ms = consumer.at(4);
  costs.consumer.spread = json.at("consumer_spread").get<std::vector<double>>();
  costs.consumer.trace = json.at("consumer_trace").get<std::vector<double>>();
  costs.engine_ms = json.at("engine_ms");
  costs.cpus = json.at("cpus").at(0);
  costs.cpus_allowed = json.at("cpus").at(1);
  costs.threads = json.at("threads");
  costs.batches_per_s = json.at("rate").at(0);
  costs.examples_per_batch = json.at("rate").at(1);
  costs.batches = json.at("batches");
  evidence.rate_error = json.at("rate_error");
  evidence.path = json.at("path").get<PathBlame>();
  add_latencies(&costs);
  return evidence;
}

}  // namespace penstock::bench::attribution
