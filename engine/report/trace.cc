#include "report/trace.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

namespace penstock {
namespace {

constexpr uint64_t kLinkTrack = 1000;  // beside the slots of a node

std::string quoted(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string name_of(const Plan& plan, int node) {
  const auto at = static_cast<size_t>(node);
  return at < plan.nodes().size() ? plan.nodes()[at].id : "consumer";
}

std::string name_of_edge(const Plan& plan, int edge) {
  const PlanEdge& planned = plan.edges()[static_cast<size_t>(edge)];
  return name_of(plan, planned.from) + " -> " + name_of(plan, planned.to);
}

}  // namespace

TraceWriter::TraceWriter(std::string path, const Plan& plan) : path_(std::move(path)) {
  file_.open(path_, std::ios::binary | std::ios::trunc);
  if (!file_) fail(errno);
  write("[");
  name_process(0, "consumer");
  for (const PlanUnit& unit : plan.units()) {
    const PlanNode& node = plan.nodes()[static_cast<size_t>(unit.nodes.front())];
    NodeNames& names = names_.emplace_back();
    names.id = node.id;
    for (const int edge : node.in_edges) {
      names.starved.push_back("starved: " + name_of_edge(plan, edge));
    }
    if (names.starved.empty()) names.starved.emplace_back("starved");
    for (const int edge : node.out_edges) {
      names.blocked.push_back("blocked: " + name_of_edge(plan, edge));
    }
    if (names.blocked.empty()) names.blocked.emplace_back("blocked");
    name_process(names_.size(), node.id);
  }
}

void TraceWriter::add(const FiringLog& log) {
  lost_ += log.lost;
  for (const FiringRecord& record : log.firings) add(record);
  for (const DeliveryRecord& delivery : log.deliveries) {
    if (consumer_since_ >= 0) event(0, 0, "work", consumer_since_, delivery.asked);
    event(0, 0, "data_wait", delivery.asked, delivery.arrived,
          fmt::format("\"samples\":{}", delivery.samples));
    consumer_since_ = delivery.arrived;
  }
  for (const RangeRecord& range : log.ranges) event(0, 0, range.name, range.begin, range.end);
  for (const UnitCopy& copy : log.copies) {
    event(size_t{copy.unit} + 1, kLinkTrack, "host_to_device", copy.begin, copy.end);
  }
}

void TraceWriter::add(const FiringRecord& record) {
  const NodeNames& names = names_.at(record.unit);
  const size_t process = size_t{record.unit} + 1;
  event(process, record.slot, names.starved.at(record.ready_edge), record.free, record.in);
  event(process, record.slot, "blocked: memory", record.in, record.ready);
  event(process, record.slot, "thread_wait", record.ready, record.start);
  if (record.has_body) {
    event(process, record.slot, names.id, record.start, record.end,
          fmt::format("\"epoch\":{},\"position\":{}", record.epoch, record.position));
  }
  event(process, record.slot, "order_held", record.end, record.held);
  event(process, record.slot, "handover", record.held, record.head);
  event(process, record.slot, names.blocked.at(record.full_edge), record.head, record.room);
  event(process, record.slot, "handover", record.room, record.done);
}

void TraceWriter::finish(int64_t step_end) {
  if (consumer_since_ >= 0) event(0, 0, "work", consumer_since_, step_end);
  write("\n]\n");
  errno = 0;
  file_.close();
  if (!file_) fail(errno);
}

void TraceWriter::event(size_t process, uint64_t track, const std::string& name, int64_t from,
                        int64_t to, const std::string& arguments) {
  if (to <= from) return;
  write(fmt::format(
      "{}\n{{\"ph\":\"X\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{}.{:03},\"dur\":{}.{:03},"
      "\"args\":{{{}}}}}",
      std::exchange(first_, false) ? "" : ",", quoted(name), process, track, from / 1000,
      from % 1000, (to - from) / 1000, (to - from) % 1000, arguments));
}

void TraceWriter::name_process(size_t process, const std::string& name) {
  write(
      fmt::format("{}\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"tid\":0,"
                  "\"args\":{{\"name\":{}}}}}",
                  std::exchange(first_, false) ? "" : ",", process, quoted(name)));
  write(
      fmt::format(",\n{{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{},\"tid\":0,"
                  "\"args\":{{\"sort_index\":{}}}}}",
                  process, process == 0 ? names_.size() + 1000 : process));
}

void TraceWriter::write(const std::string& text) {
  errno = 0;
  if (!(file_ << text)) fail(errno);
}

void TraceWriter::fail(int error) const {
  throw std::runtime_error("cannot write the trace to " + path_ + ": " +
                           (error != 0 ? std::strerror(error) : "output error"));
}

}  // namespace penstock
