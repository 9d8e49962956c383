// pin and device_copy in pipelines.

#include "penstock/pipeline.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

#include "builtin.h"
#include "device/pin.h"
#include "device/timed_device.h"
#include "plan/plan.h"
#include "report/digest.h"
#include "support/lazy_device.h"
#include "support/upload.h"

namespace penstock {
namespace {

using operators::TimedDevice;

Pipeline pipeline_on(const std::string& nodes,
                     const std::shared_ptr<operators::DeviceRuntime>& device,
                     const std::string& more = "") {
  LoadOptions options;
  if (device != nullptr) options.operators.push_back(upload_to(device));
  return Pipeline::parse(
      "penstock: 1\nname: device\nseed: 3\nthreads: 2\n" + more + "nodes:\n" + nodes, options);
}

const std::string kSamples =
    "  - {id: make, op: synthetic, params: {items: 103, shape: [5, 7], dtype: float32}}\n";
const std::string kBatches = kSamples + "  - {id: batch, op: collate, params: {batch_size: 10}}\n";
const std::string kPinned = kBatches + "  - {id: pin, op: pin}\n";
const std::string kUploaded = kPinned + "  - {id: up, op: upload}\n";

std::string digest_of(const Pipeline& pipeline, const StartOptions& start = {}) {
  Run run = pipeline.start(start);
  BatchDigest digest;
  for (Next next = run.next(); next.kind != Next::Kind::kEnd;) {
    if (next.kind == Next::Kind::kBatch) digest.add(next.batch);
    next = Next();  // let go before the next one is asked for
    next = run.next();
  }
  return digest.value();
}

const NodeReport& node_of(const Report& report, const std::string& id) {
  for (const NodeReport& node : report.nodes) {
    if (node.id == id) return node;
  }
  throw std::out_of_range(id);
}

uint64_t pinned_by(const Run& run) {
  return node_of(run.report(), "pin").device.value_or(DeviceReport()).allocations;
}

TEST_CASE("batches on a device are those on the CPU, in parallel and serial") {
  const std::string on_cpu = digest_of(pipeline_on(kBatches, nullptr));
  const StartOptions serial{.inline_run = true};
  for (const uint64_t seed : {0, 1, 2, 3}) {
    const auto device = std::make_shared<LazyDevice>(LazyDeviceOptions{.seed = seed});
    CHECK(digest_of(pipeline_on(kUploaded, device)) == on_cpu);
    CHECK(digest_of(pipeline_on(kUploaded, device), serial) == on_cpu);
    CHECK(digest_of(pipeline_on(kBatches + "  - {id: up, op: upload}\n", device)) == on_cpu);
    CHECK(device->violations().empty());
    CHECK(device->live() == 0);
  }
  CHECK(digest_of(pipeline_on(kUploaded, std::make_shared<TimedDevice>())) == on_cpu);
}

TEST_CASE("collate writes into pinned memory, and a batch moves at once") {
  const auto device = std::make_shared<LazyDevice>();
  const Pipeline pipeline = pipeline_on(kUploaded, device, "batches: 200\n");
  Run run = pipeline.start();
  uint64_t batches = 0, warm = 0;
  for (Next next = run.next(); next.kind != Next::Kind::kEnd;) {
    batches += next.kind == Next::Kind::kBatch ? 1 : 0;
    if (batches == 20 && warm == 0) warm = pinned_by(run);
    next = Next();
    next = run.next();
  }
  const Report report = run.report();
  CHECK(batches == 200);
  const DeviceReport& pin = node_of(report, "pin").device.value();
  CHECK(pin.copied_on_host == 0);
  // What there is room for: collate and pin 1 each, queues of 2 into pin and up, up 1 and 2 on the
  // device.
  CHECK(pin.allocations == 9);
  CHECK(warm == pin.allocations);
  const DeviceReport& up = node_of(report, "up").device.value();
  CHECK(up.copies >= 200);  // the next ones may be on their way
  CHECK(up.transfers == up.copies);
  CHECK(up.allocations == 2);
  CHECK(up.bytes >= 200 * 9 * 140);
  CHECK(up.copy_ms.has_value());
}

TEST_CASE("blocks that there is room for are there before they are needed") {
  const auto device = std::make_shared<LazyDevice>();
  const auto pool = std::make_shared<operators::PinnedPool>(device);
  pool->expect(6);
  const auto item = [&pool](size_t bytes) {
    BufferRef block;
    pool->allocate(bytes, nullptr, &block);
    return block;
  };
  std::vector<BufferRef> held;
  held.push_back(item(1000));
  CHECK(pool->allocations() == 1);  // it is not known yet whether the next one is larger
  held.push_back(item(900));
  CHECK(pool->allocations() == 6);
  while (held.size() < 6) held.push_back(item(1000));
  CHECK(pool->allocations() == 6);
  held.push_back(item(1000));  // more than was expected
  CHECK(pool->allocations() == 7);
  held.clear();
  held.push_back(item(2000));
  held.push_back(item(2000));
  CHECK(pool->allocations() == 13);
  held.clear();
  pool->expect(1'000'000);  // a long queue fills up as it will
  held.push_back(item(3000));
  held.push_back(item(3000));
  CHECK(pool->allocations() == 13 + 32);
}

TEST_CASE("an item that says how large it is when it begins lies in one block") {
  const auto pool = std::make_shared<operators::PinnedPool>(std::make_shared<LazyDevice>());
  BufferRef block;
  pool->open(3000, nullptr, &block);
  const auto first = pool->allocate(1000, nullptr, &block);
  const auto second = pool->allocate(1900, nullptr, &block);
  CHECK(first.owner.get() == second.owner.get());
  CHECK(pool->allocations() == 1);
  const auto more = pool->allocate(1000, nullptr, &block);  // than it said
  CHECK(more.owner.get() != first.owner.get());
  BufferRef empty;
  pool->open(0, nullptr, &empty);
  CHECK_FALSE(empty);
}

TEST_CASE("only what CUDA pins is locked by the system") {
  const auto locked = [](Device::Kind kind) {
    return operators::PinnedPool(std::make_shared<LazyDevice>(LazyDeviceOptions{.kind = kind}))
        .locked();
  };
  CHECK(locked(Device::Kind::kCuda));
  CHECK_FALSE(locked(Device::Kind::kSimulated));
}

TEST_CASE("a run that needs fewer blocks than there is room for goes on where memory ends") {
  const auto device = std::make_shared<LazyDevice>(LazyDeviceOptions{.pinned_blocks = 3});
  const auto pool = std::make_shared<operators::PinnedPool>(device);
  pool->expect(6);
  BufferRef first, second, third, fourth;
  pool->allocate(1000, nullptr, &first);
  pool->allocate(1000, nullptr, &second);
  pool->allocate(1000, nullptr, &third);
  CHECK(pool->allocations() == 3);
  CHECK_THROWS_WITH(pool->allocate(1000, nullptr, &fourth), doctest::Contains("out of memory"));
  first.reset();
  pool->allocate(1000, nullptr, &fourth);
  CHECK(pool->allocations() == 3);
}

TEST_CASE("a last pin gives the consumer pinned memory of its own kind") {
  const auto device = std::make_shared<LazyDevice>();
  const auto pool = std::make_shared<operators::PinnedPool>(device);
  OperatorDef def = operators::make_pin_in(
      [pool] { return operators::PinnedMemory{.memory = pool, .reason = ""}; });
  LoadOptions options;
  options.operators.push_back(
      {.schema = Schema("own_pin", Kind::kMap, def.schema.doc()), .make = def.make});
  const Pipeline pipeline = Pipeline::parse(
      "penstock: 1\nname: pinned\nnodes:\n" + kBatches + "  - {id: pin, op: own_pin}\n", options);
  std::vector<Batch> kept;
  {
    Run run = pipeline.start();
    for (;;) {
      Next next = run.next();
      if (next.kind == Next::Kind::kEnd) break;
      if (next.kind == Next::Kind::kBatch) kept.push_back(std::move(next.batch));
    }
    CHECK_FALSE(node_of(run.report(), "pin").device);  // collate wrote there: nothing was copied
  }
  REQUIRE(kept.size() == 11);
  for (const Batch& batch : kept) {
    CHECK(batch.tensor("x").device().kind == Device::Kind::kPinned);
  }
  CHECK(pool->allocations() >= 11);  // a consumer may keep as many as it likes
}

TEST_CASE("without a collate before it, pin copies and says so") {
  const auto device = std::make_shared<LazyDevice>();
  const Pipeline pipeline =
      pipeline_on(kSamples + "  - {id: pin, op: pin}\n  - {id: up, op: upload}\n", device);
  const auto copied = [&pipeline] {
    Run run = pipeline.start();
    for (Next next = run.next(); next.kind != Next::Kind::kEnd;) {
      next = Next();
      next = run.next();
    }
    return node_of(run.report(), "pin").device.value().copied_on_host;
  };
  const uint64_t first = copied();
  CHECK(first >= 103 * 140);
  CHECK(copied() == first);  // a run's figures are its own
}

TEST_CASE("a consumer that holds every slot is told, and may go on") {
  const auto device = std::make_shared<LazyDevice>();
  const Pipeline pipeline = pipeline_on(kUploaded, device);
  for (const bool serial : {false, true}) {
    Run run = pipeline.start({.inline_run = serial});
    Next first = run.next(), second = run.next();
    CHECK_THROWS_WITH_AS(run.next(), doctest::Contains("holds batches in all 2 slots"),
                         std::logic_error);
    CHECK_THROWS_AS(run.next(std::chrono::hours(1)), std::logic_error);
    first = Next();
    const Next third = run.next();
    CHECK(third.kind == Next::Kind::kBatch);
    CHECK(third.batch.item().origin.position == 20);
  }
}

TEST_CASE("the end of an epoch needs no slot") {
  const auto device = std::make_shared<LazyDevice>();
  const std::string two = std::string(kUploaded).replace(kUploaded.find("103"), 3, "20");
  const Pipeline pipeline = pipeline_on(two, device, "epochs: 2\n");
  for (const bool serial : {false, true}) {
    Run run = pipeline.start({.inline_run = serial});
    const Next first = run.next(), second = run.next();
    CHECK(run.next().kind == Next::Kind::kEpochEnd);
    CHECK_THROWS_WITH_AS(run.next(), doctest::Contains("holds batches in all 2 slots"),
                         std::logic_error);
  }
}

TEST_CASE("a copy of the last batch that fails ends the run, though no other one follows") {
  const auto device = std::make_shared<LazyDevice>(LazyDeviceOptions{.failing_copy = 11});
  const Pipeline pipeline = pipeline_on(kUploaded, device);
  const DeviceStream stream{device->device(), device->create_stream()};
  {
    Run run = pipeline.start();
    std::string node;
    int batches = 0;
    try {
      for (Next next = run.next(stream); next.kind != Next::Kind::kEnd;) {
        batches += next.kind == Next::Kind::kBatch ? 1 : 0;
        next = Next();
        next = run.next(stream);
      }
    } catch (const RunError& failure) {
      node = failure.info().node;
      CHECK(failure.info().of_machine);
    }
    CHECK(batches == 11);
    CHECK(node == "up");
    CHECK(run.report().status == "failed");
  }
  device->destroy_stream(stream.handle);
}

TEST_CASE("batches may be let go of by any thread, during the run and after it") {
  const auto device = std::make_shared<LazyDevice>(LazyDeviceOptions{.seed = 9});
  std::vector<Batch> kept;
  {
    const Pipeline pipeline = pipeline_on(kUploaded, device);
    Run run = pipeline.start();
    for (;;) {
      Next next = run.next();
      if (next.kind != Next::Kind::kBatch) break;
      if (kept.empty()) {
        kept.push_back(std::move(next.batch));
        continue;
      }
      std::thread([batch = std::move(next.batch)]() mutable { batch = Batch(); }).join();
    }
  }
  CHECK(device->live() > 0);
  std::thread([&kept] { kept.clear(); }).join();
  CHECK(device->live() == 0);
  CHECK(device->violations().empty());
}

/// One sample an epoch. On threads other than the test's, its length takes until the run is gone,
/// or 50 ms where that waits, as it must.
class SlowElsewhere final : public Source {
 public:
  explicit SlowElsewhere(const std::atomic<bool>* gone, std::atomic<bool>* too_early)
      : gone_(gone), too_early_(too_early) {}
  uint64_t size(uint32_t) const override {
    if (std::this_thread::get_id() != test_) {
      entered = true;
      for (int i = 0; i < 50 && !*gone_; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      if (*gone_) *too_early_ = true;
    }
    return 1;
  }
  void infer(FieldTable& fields) override { field_ = fields.add({.name = "x"}); }
  void process(Context& ctx) override { ctx.output(field_, {16}, DType::kUInt8); }

  static inline std::atomic<bool> entered{false};

 private:
  const std::atomic<bool>* gone_;
  std::atomic<bool>* too_early_;
  std::thread::id test_ = std::this_thread::get_id();
  int field_ = 0;
};

TEST_CASE("a serial run that goes waits for who lets go of a batch on another thread") {
  std::atomic<bool> gone{false}, too_early{false};
  Schema schema("slow_elsewhere", Kind::kSource, "One sample.");
  schema.writes("x", "bytes");
  LoadOptions options;
  const auto make = [&](const Params&) {
    return std::make_unique<SlowElsewhere>(&gone, &too_early);
  };
  options.operators = {upload_to(std::make_shared<LazyDevice>()),
                       {.schema = std::move(schema), .make = make}};
  const Pipeline pipeline = Pipeline::parse(
      "penstock: 1\nname: serial\nepochs: 100\nnodes:\n  - {id: make, op: slow_elsewhere}\n"
      "  - {id: up, op: upload, params: {slots: 1}}\n",
      options);
  std::thread letting_go;
  {
    Run run = pipeline.start({.inline_run = true});
    Next next = run.next();
    REQUIRE(next.kind == Next::Kind::kBatch);
    CHECK(run.next().kind == Next::Kind::kEpochEnd);
    CHECK_THROWS_AS(run.next(), std::logic_error);  // all before `up` is full now
    letting_go = std::thread([batch = std::move(next.batch)]() mutable { batch = Batch(); });
    for (int i = 0; i < 2000 && !SlowElsewhere::entered; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    CHECK(SlowElsewhere::entered);
  }
  gone = true;
  letting_go.join();
  CHECK_FALSE(too_early);
}

TEST_CASE("a run that ends early leaves nothing on the device") {
  for (const int taken : {0, 1, 2, 5}) {
    const auto device = std::make_shared<LazyDevice>();
    {
      const Pipeline pipeline = pipeline_on(kUploaded, device);
      Run run = pipeline.start();
      for (int i = 0; i < taken; ++i) (void)run.next();
      if (taken == 2) run.stop();
    }
    CHECK(device->live() == 0);
    CHECK(device->violations().empty());
  }
}

TEST_CASE("a device at fault fails the run, and names the node") {
  const auto message_on = [](LazyDeviceOptions options) -> std::string {
    const auto device = std::make_shared<LazyDevice>(options);
    try {
      const Pipeline pipeline =
          pipeline_on(kPinned + "  - {id: up, op: upload, on_error: {policy: skip}}\n", device);
      Run run = pipeline.start();
      while (run.next().kind != Next::Kind::kEnd) {
      }
    } catch (const RunError& error) {
      CHECK(error.info().node == "up");
      CHECK(error.info().of_machine);
      return error.what();
    }
    return "no error";
  };
  CHECK(message_on({.failing_copy = 4}).find("an injected failure") != std::string::npos);
  CHECK(message_on({.lost_after = 4}).find("the device is lost") != std::string::npos);
  CHECK(message_on({.memory = 100}).find("out of memory") != std::string::npos);
}

TEST_CASE("a stream of the consumer's waits for the copy instead of its thread") {
  const auto device = std::make_shared<LazyDevice>();
  const Pipeline pipeline = pipeline_on(kUploaded, device);
  Run run = pipeline.start();
  const DeviceStream stream{device->device(), device->create_stream()};
  const Next next = run.next(stream);
  REQUIRE(next.kind == Next::Kind::kBatch);
  CHECK(device->copies() == 0);  // nothing had to happen yet
  const Tensor& tensor = next.batch.tensor("x");
  std::vector<float> seen(static_cast<size_t>(tensor.numel()));
  device->copy_to_host(seen.data(), tensor.data(), tensor.nbytes(), stream.handle);
  void* const event = device->create_event();
  device->record(event, stream.handle);
  device->synchronize(event);
  CHECK(device->copies() > 0);
  CHECK(std::set<float>(seen.begin(), seen.end()).size() > 1);
}

TEST_CASE("what lies on a device is not for operators that work on the CPU") {
  const auto device = std::make_shared<LazyDevice>();
  const auto refusal = [&device](const std::string& node) -> std::string {
    try {
      (void)pipeline_on(kUploaded + node, device);
    } catch (const InvalidPipeline& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal("  - {id: pin2, op: pin}\n")
            .find("'pin2' works on the CPU, and its input lies on a device (field 'x')") !=
        std::string::npos);
  CHECK(refusal("  - {id: again, op: upload}\n").find("lies on a device already") !=
        std::string::npos);
  CHECK(refusal("  - {id: few, op: take, params: {count: 2}}\n").empty());
}

TEST_CASE("no accelerator: notes say so, and names that need one are refused") {
  if (operators::find_device("cuda:0", 0).runtime != nullptr) return;
  const auto warnings_of = [](const std::string& nodes) {
    std::string text;
    const Pipeline pipeline = pipeline_on(nodes, nullptr);
    for (const Diagnostic& each : pipeline.plan().warnings()) {
      text += each.message + "\n";
    }
    return text;
  };
  const std::string pin = warnings_of(kPinned);
  CHECK(pin.find("nodes.pin: batches are not pinned: ") != std::string::npos);
  const std::string automatic = warnings_of(kPinned + "  - {id: up, op: device_copy}\n");
  CHECK(automatic.find("nodes.up: batches stay on the CPU: ") != std::string::npos);
  CHECK(automatic.find("nodes.pin") == std::string::npos);  // it is said once
  CHECK_THROWS_WITH_AS(
      pipeline_on(kPinned + "  - {id: up, op: device_copy, params: {device: 'cuda:0'}}\n", nullptr),
      doctest::Contains("cuda:0 cannot be used: "), InvalidPipeline);
  CHECK_THROWS_WITH_AS(
      pipeline_on(kPinned + "  - {id: up, op: device_copy, params: {device: gpu}}\n", nullptr),
      doctest::Contains("'gpu' is no device"), InvalidPipeline);
  const std::string on_cpu = digest_of(pipeline_on(kBatches, nullptr));
  CHECK(digest_of(pipeline_on(kPinned + "  - {id: up, op: device_copy}\n", nullptr)) == on_cpu);
}

}  // namespace
}  // namespace penstock
