// The same batches, bit for bit, whatever the number of threads, slots and places: one digest over
// three epochs of quickstart with shuffling, random crops and flips.

#include "report/digest.h"

#include <map>
#include <set>

#include "measurement.h"
#include "penstock/pipeline.h"
#include "plan/plan.h"

namespace penstock::bench {
namespace {

struct Variant {
  int threads = 1, slots = 1, places = 1;
  bool inline_run = false;
  std::string name() const {
    if (inline_run) return "workers 0";
    return std::to_string(threads) + " threads, " + std::to_string(slots) + " slots, " +
           std::to_string(places) + " places";
  }
};

std::vector<Variant> variants() {
  std::vector<Variant> all;
  for (int threads : {1, 2, 4}) {
    for (int slots : {1, 2, 8}) {
      for (int places : {1, 8, 64}) all.push_back({threads, slots, places, false});
    }
  }
  all.push_back({1, 1, 1, true});
  return all;
}

Pipeline load(const std::string& graph, const Variant& variant) {
  LoadOptions options;
  if (variant.inline_run) return Pipeline::load(graph, options);
  const Pipeline plain = Pipeline::load(graph);
  const auto set = [&](const std::string& key, int value) {
    options.set.push_back(key + "=" + std::to_string(value));
  };
  for (const PlanNode& node : plain.plan().nodes()) {
    if (node.state != State::kSerial) set("nodes." + node.id + ".concurrency", variant.slots);
    if (node.kind != Kind::kSource) set("nodes." + node.id + ".queue.items", variant.places);
  }
  set("consumer.queue.items", variant.places);
  return Pipeline::load(graph, options);
}

std::string digest_of(const Pipeline& pipeline, const Variant& variant) {
  Engine engine({.threads = variant.threads});
  StartOptions options;
  options.epochs = 3;
  if (variant.inline_run) {
    options.inline_run = true;
  } else {
    options.engine = &engine;
  }
  Run run = pipeline.start(options);
  BatchDigest digest;
  for (Next next = run.next(); next.kind != Next::Kind::kEnd; next = run.next()) {
    if (next.kind == Next::Kind::kBatch) digest.add(next.batch);
  }
  return digest.value();
}

}  // namespace

Result measure_digest(const Settings& settings) {
  const int repeats = settings.rounds > 0 ? settings.rounds : 5;
  const std::string graph = graph_of(settings);
  std::map<std::string, std::set<std::string>> seen;
  int runs = 0;
  for (const Variant& variant : variants()) {
    const Pipeline pipeline = load(graph, variant);
    for (int i = 0; i < repeats; ++i, ++runs) {
      seen[digest_of(pipeline, variant)].insert(variant.name());
    }
  }
  Result result;
  result.value = static_cast<double>(seen.size());
  result.unit = "different digests";
  result.ok = seen.size() == 1;
  result.detail["runs"] = runs;
  if (result.ok) {
    result.detail["digest"] = seen.begin()->first;
  } else {
    for (const auto& [digest, names] : seen) result.detail["digests"][digest] = names;
  }
  return result;
}

}  // namespace penstock::bench
