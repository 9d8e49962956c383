#include <nlohmann/json.hpp>
#include <string>

#include "penstock/plugin.h"
#include "penstock/report.h"
#include "report/failure.h"
#include "report/or_null.h"
#include "report/verdict_format.h"

namespace penstock {
namespace {

using Json = nlohmann::ordered_json;
using verdict_format::json_of;

Json json_of(const MachineReport& machine) {
  return {{"cpus", machine.cpus},
          {"affinity", machine.affinity},
          {"quota", or_null(machine.quota)},
          {"torch", or_null(machine.torch)},
          {"tbb", or_null(machine.tbb)}};
}

Json json_of(const Spread& spread) {
  if (spread.count == 0) {
    return {{"mean", nullptr}, {"p50", nullptr}, {"p95", nullptr}, {"max", nullptr}};
  }
  return {{"mean", spread.mean}, {"p50", spread.p50}, {"p95", spread.p95}, {"max", spread.max}};
}

Json json_of(const NodeShares& share) {
  return {{"starved", share.starved},
          {"thread_wait", share.thread_wait},
          {"on_cpu", share.on_cpu},
          {"run_queue", or_null(share.run_queue)},
          {"off_cpu", share.off_cpu},
          {"handover", share.handover},
          {"order_held", share.order_held},
          {"blocked", share.blocked},
          {"blocked_pool", share.blocked_pool},
          {"drained", share.drained}};
}

Json json_of(const DeviceReport& device) {
  return {{"copies", device.copies},
          {"transfers", device.transfers},
          {"bytes", device.bytes},
          {"copy_ms", or_null(device.copy_ms)},
          {"share_of_step", device.share_of_step},
          {"exposed_ms", device.exposed_ms},
          {"hidden", or_null(device.hidden)},
          {"step_ms", or_null(device.step_ms)},
          {"allocations", device.allocations},
          {"copied_on_host", device.copied_on_host}};
}

Json json_of(const NodeReport& node) {
  Json json = {{"id", node.id},
               {"op", node.op},
               {"where", node.where},
               {"kind", node.kind},
               {"concurrency", node.concurrency},
               {"firings", node.firings},
               {"items_in", node.items_in},
               {"items_out", node.items_out},
               {"skipped", node.skipped},
               {"filtered", node.filtered},
               {"service_ms", json_of(node.service_ms)},
               {"cpu_ms", {{"mean", or_null(node.cpu_ms_mean)}}},
               {"share", json_of(node.share)},
               {"starved_by", node.starved_by},
               {"blocked_by", node.blocked_by}};
  for (const auto& [name, count] : node.tallies) json["tallies"][name] = count;
  if (node.device) json["device"] = json_of(*node.device);
  return json;
}

Json json_of(const EdgeReport& edge) {
  return {{"from", edge.from},
          {"to", edge.to},
          {"capacity", edge.capacity},
          {"capacity_bytes", or_null(edge.capacity_bytes)},
          {"fill_mean", edge.fill_mean},
          {"fill_max", edge.fill_max},
          {"empty", edge.empty},
          {"full", edge.full},
          {"bytes_max", edge.bytes_max},
          {"puts", edge.puts},
          {"gets", edge.gets},
          {"content", {{"begin", edge.content_begin}, {"end", edge.content_end}}}};
}

Json json_of(const SkippedSample& sample) {
  return {{"node", sample.node}, {"key", or_null(sample.key)}, {"message", sample.message}};
}

template <typename T>
Json list_of(const std::vector<T>& values) {
  Json list = Json::array();
  for (const T& value : values) list.push_back(json_of(value));
  return list;
}

Json errors_of(const Report& report) {
  return {{"skipped", report.errors_skipped},
          {"by_node", report.errors_by_node},
          {"first", list_of(report.skipped_samples)}};
}

Json window_of(const Report& report) {
  return {{"seconds", report.window_seconds},
          {"batches", report.batches},
          {"examples", report.examples},
          {"warmup_batches", report.warmup_batches},
          {"steady", report.steady}};
}

Json work_of(const Report& report) {
  Json work = json_of(report.work_ms);
  work["reference"] = or_null(report.work_reference_ms);
  return work;
}

Json consumer_of(const ConsumerReport& consumer) {
  return {{"work", consumer.work},
          {"target_ms", consumer.target_ms},
          {"spin_iterations", or_null(consumer.spin_iterations)}};
}

}  // namespace

std::string format_json(const Report& report) {
  Json json = {{"report", 1},
               {"status", report.status},
               {"penstock", kVersion},
               {"pipeline", report.pipeline},
               {"plan", report.plan},
               {"seed", report.seed},
               {"epochs", report.epochs},
               {"machine", json_of(report.machine)},
               {"window", window_of(report)},
               {"examples_per_s", report.examples_per_s},
               {"first_batch_ms", nullptr},
               {"wait_ms", json_of(report.wait_ms)},
               {"work_ms", work_of(report)},
               {"wait_fraction", report.wait_fraction},
               {"consumer", consumer_of(report.consumer)},
               {"nodes", list_of(report.nodes)},
               {"edges", list_of(report.edges)},
               {"bytes_in_flight_max", report.bytes_in_flight_max},
               {"process_cpu_s", report.process_cpu_s},
               {"rss_max_bytes", report.rss_max_bytes},
               {"verdict", report.verdict ? json_of(*report.verdict) : Json(nullptr)},
               {"errors", errors_of(report)},
               {"digest", or_null(report.digest)},
               {"notes", report.notes}};
  if (report.first_batch_ms >= 0) json["first_batch_ms"] = report.first_batch_ms;
  if (report.error) json["error"] = json_of(*report.error);
  // Names of files may be no UTF-8: such bytes are shown as U+FFFD.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace penstock
