// Steps on a device while the next batch moves there, against the longer of the two; and what a
// batch in pinned memory costs the host. On the simulated device, or a real one.

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "measurement.h"
#include "penstock/pipeline.h"
#include "penstock/plugin.h"
#include "support/upload.h"

namespace penstock::bench {
namespace {

using nlohmann::ordered_json;
using operators::DeviceRuntime;
using operators::FoundDevice;

constexpr double kSimulatedBytesPerSecond = 1e9;
constexpr uint64_t kWarmup = 20;
constexpr int kSamples = 4;  // of a batch

/// How the consumer's step is done.
enum class Step : uint8_t {
  kOnStream,  ///< on the device, on a stream that next() is told
  kOnThread,  ///< by the calling thread, as the command line's consumer
};

Pipeline pipeline_of(const std::shared_ptr<DeviceRuntime>& device, size_t batch_bytes,
                     uint64_t batches) {
  LoadOptions options;
  options.operators.push_back(upload_to(device));
  return Pipeline::parse(
      "penstock: 1\nname: device\nthreads: 2\nbatches: " + std::to_string(batches) +
          "\nnodes:\n  - {id: make, op: synthetic, params: {items: 4096, shape: [" +
          std::to_string(batch_bytes / kSamples) +
          "]}}\n  - {id: batch, op: collate, params: {batch_size: " + std::to_string(kSamples) +
          "}}\n  - {id: pin, op: pin}\n  - {id: upload, op: upload, params: {slots: 2}}\n",
      options);
}

const NodeReport& node_of(const Report& report, const std::string& id) {
  for (const NodeReport& node : report.nodes) {
    if (node.id == id) return node;
  }
  throw std::logic_error("no node " + id);
}

struct Steps {
  double step_ms = 0;    ///< from batch to batch, behind the warm-up
  double called_ms = 0;  ///< a step by a clock of the host's around the calls that begin it
  Report report;
  uint64_t allocations = 0;  ///< behind the warm-up
};

uint64_t allocations_of(const Report& report) {
  return node_of(report, "pin").device.value_or(DeviceReport()).allocations +
         node_of(report, "upload").device.value_or(DeviceReport()).allocations;
}

Steps run_steps(const std::shared_ptr<DeviceRuntime>& device, size_t batch_bytes, double work_ms,
                Step how, uint64_t batches) {
  const Pipeline pipeline = pipeline_of(device, batch_bytes, kWarmup + batches);
  const DeviceStream stream{device->device(), device->create_stream()};
  const auto work_ns = static_cast<int64_t>(work_ms * 1e6);
  Steps steps;
  {
    Run run = pipeline.start();
    int64_t began = 0, called = 0;
    uint64_t warm_allocations = 0;
    for (uint64_t batch = 0; batch < kWarmup + batches;) {
      Next next = how == Step::kOnStream ? run.next(stream) : run.next();
      if (next.kind == Next::Kind::kEnd) throw std::runtime_error("the pipeline ended early");
      if (next.kind != Next::Kind::kBatch) continue;
      if (batch++ == kWarmup) {
        began = wall_now();
        warm_allocations = allocations_of(run.report());
      }
      const int64_t before = wall_now();
      if (how == Step::kOnStream) {
        device->work(work_ns, stream.handle);
      } else {
        std::this_thread::sleep_until(std::chrono::steady_clock::now() +
                                      std::chrono::nanoseconds(work_ns));
      }
      called += wall_now() - before;
    }
    void* const event = device->create_event();
    device->record(event, stream.handle);
    device->synchronize(event);
    device->destroy_event(event);
    steps.step_ms = static_cast<double>(wall_now() - began) / 1e6 / static_cast<double>(batches);
    steps.called_ms = static_cast<double>(called) / 1e6 / static_cast<double>(kWarmup + batches);
    steps.report = run.report();
    steps.allocations = allocations_of(steps.report) - warm_allocations;
  }
  device->destroy_stream(stream.handle);
  return steps;
}

/// Bytes a second of copies of that size from pinned memory.
double bandwidth(DeviceRuntime& device, size_t bytes) {
  void* const from = device.allocate_pinned(bytes);
  void* const to = device.allocate(bytes);
  void* const stream = device.create_stream();
  void* const begin = device.create_event();
  void* const end = device.create_event();
  std::vector<double> rates;
  for (int i = 0; i < 9; ++i) {
    device.record(begin, stream);
    device.copy_to_device(to, from, bytes, stream);
    device.record(end, stream);
    device.synchronize(end);
    if (i > 0) rates.push_back(static_cast<double>(bytes) / device.elapsed_ms(begin, end) * 1e3);
  }
  device.destroy_event(begin);
  device.destroy_event(end);
  device.destroy_stream(stream);
  device.free(to);
  device.free_pinned(from);
  return median(rates);
}

ordered_json to_json(const Steps& steps) {
  const DeviceReport up = node_of(steps.report, "upload").device.value_or(DeviceReport());
  const DeviceReport pin = node_of(steps.report, "pin").device.value_or(DeviceReport());
  const auto copies = static_cast<double>(std::max<uint64_t>(1, up.copies));
  return {{"step_ms", steps.step_ms},
          {"copy_ms", up.copy_ms.value_or(0)},
          {"hidden", up.hidden.value_or(0)},
          {"exposed_ms", up.exposed_ms},
          {"work_ms_by_events", up.step_ms ? ordered_json(*up.step_ms) : ordered_json(nullptr)},
          {"work_ms_by_the_host_around_the_calls", steps.called_ms},
          {"transfers_a_batch", static_cast<double>(up.transfers) / copies},
          {"allocations_after_warm_up", steps.allocations},
          {"copied_on_host_beyond_collate", pin.copied_on_host},
          {"verdict", steps.report.verdict ? steps.report.verdict->limit : ""}};
}

}  // namespace

Result measure_device(const Settings& settings) {
  const FoundDevice found = operators::find_device(settings.device, kSimulatedBytesPerSecond);
  if (found.runtime == nullptr) throw std::runtime_error(settings.device + ": " + found.reason);
  DeviceRuntime& device = *found.runtime;
  const auto batches = static_cast<uint64_t>(settings.rounds > 0 ? settings.rounds : 200);
  Result result;
  result.detail["device"] = device.name();
  for (const size_t bytes : {size_t{1} << 16, size_t{1} << 20, size_t{1} << 24}) {
    result.detail["bandwidth_gb_s"][std::to_string(bytes)] = bandwidth(device, bytes) / 1e9;
  }
  const double rate = bandwidth(device, size_t{1} << 24);
  struct Case {
    double copy_ms, work_ms, least_hidden;
    std::string limit;
  };
  double worst = 0;
  // On a real link a copy of 6 ms is hundreds of megabytes: the same shares, at a tenth.
  const double scale = device.device().kind == Device::Kind::kSimulated ? 1 : 0.1;
  for (const Case& each : {Case{6, 10, 0.95, "consumer"}, {15, 10, 0, "device"}}) {
    const auto bytes = static_cast<size_t>(each.copy_ms * scale / 1e3 * rate);
    const double bound = std::max(each.copy_ms, each.work_ms) * scale;
    for (const Step how : {Step::kOnStream, Step::kOnThread}) {
      const Steps steps = run_steps(found.runtime, bytes, each.work_ms * scale, how, batches);
      const std::string name = std::to_string(static_cast<int>(each.copy_ms)) + "_to_" +
                               std::to_string(static_cast<int>(each.work_ms)) +
                               (how == Step::kOnStream ? "_on_stream" : "_on_thread");
      result.detail[name] = to_json(steps);
      worst = std::max(worst, steps.step_ms / bound);
      const DeviceReport up = node_of(steps.report, "upload").device.value_or(DeviceReport());
      result.ok = result.ok && up.hidden.value_or(0) >= each.least_hidden &&
                  steps.allocations == 0 && steps.report.verdict &&
                  steps.report.verdict->limit == each.limit;
    }
  }
  result.value = worst;
  result.unit = "time of a step as a part of the longer of copy and work (the worst)";
  result.baseline = 1.0;
  result.baseline_name = "all hidden";
  result.ok = result.ok && worst <= 1.05;
  return result;
}

}  // namespace penstock::bench
