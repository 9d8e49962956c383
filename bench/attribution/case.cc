#include "attribution/case.h"

namespace penstock::bench::attribution {

std::string name_of(Role role) {
  switch (role) {
    case Role::kSource:
      return "source";
    case Role::kMap:
      return "map";
    case Role::kFilter:
      return "filter";
    case Role::kExpand:
      return "expand";
    case Role::kCollate:
      return "collate";
    case Role::kZip:
      return "zip";
    case Role::kMerge:
      break;
  }
  return "merge";
}

std::vector<double> calls_per_batch(const PipelineCase& pipeline) {
  std::vector<double> calls(pipeline.nodes.size(), 0);
  if (calls.empty()) return calls;
  calls.back() = 1;  // the last node feeds the consumer
  for (size_t n = pipeline.nodes.size(); n-- > 0;) {
    const NodeCase& node = pipeline.nodes[n];
    double inputs = calls[n];
    if (node.role == Role::kCollate) inputs *= node.batch;
    if (node.role == Role::kExpand) inputs /= node.children;
    if (node.role == Role::kMerge) inputs /= static_cast<double>(node.from.size());
    // A filter has a body for each input, of which it keeps a part.
    for (const size_t from : node.from) {
      const NodeCase& before = pipeline.nodes[from];
      calls[from] = before.role == Role::kFilter ? inputs / before.keep : inputs;
    }
  }
  return calls;
}

nlohmann::ordered_json to_json(const PipelineCase& pipeline) {
  nlohmann::ordered_json json;
  json["planted"] = pipeline.planted;
  json["limiters"] = pipeline.limiters;
  json["margin"] = pipeline.margin;
  json["period_ms"] = pipeline.period_ms;
  json["threads"] = pipeline.threads;
  json["cpus"] = pipeline.cpus;
  const std::vector<double> calls = calls_per_batch(pipeline);
  for (size_t n = 0; n < pipeline.nodes.size(); ++n) {
    const NodeCase& node = pipeline.nodes[n];
    nlohmann::ordered_json one = {{"id", node.id},
                                  {"role", name_of(node.role)},
                                  {"slots", node.slots},
                                  {"calls", calls[n]},
                                  {"cpu_ms", node.cpu_ms},
                                  {"off_ms", node.off_ms},
                                  {"spread", node.spread.shape},
                                  {"capacity", node.capacity}};
    if (node.spread.shape == "lognormal") one["cv"] = node.spread.cv;
    if (node.io) one["io"] = true;
    if (node.any) one["any"] = true;
    json["nodes"].push_back(std::move(one));
  }
  const ConsumerCase& consumer = pipeline.consumer;
  json["consumer"] = {{"cpu_ms", consumer.cpu_ms},
                      {"off_ms", consumer.off_ms},
                      {"spread", consumer.spread.shape},
                      {"capacity", consumer.capacity}};
  return json;
}

}  // namespace penstock::bench::attribution
