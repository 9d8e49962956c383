#include <algorithm>
#include <chrono>
#include <thread>

#include "builtin.h"
#include "penstock/spin.h"
#include "synthetic/per.h"

namespace penstock::operators {
namespace {

class Sleep : public Operator {
 public:
  explicit Sleep(const Params& params)
      : time_(params), computed_ns_(part(time_.ns(), params.number("spin"))) {
    if (computed_ns_ > 0) iterations_ = spin_iterations(computed_ns_);
  }

  void process(Context& ctx) override {
    const uint64_t times = time_.times(ctx);
    const std::chrono::nanoseconds waited(time_.ns() - computed_ns_);
    wait(ctx, waited * static_cast<int64_t>(times));
    for (uint64_t left = times; left > 0 && !ctx.cancelled(); --left) spin(iterations_);
  }

 private:
  // So long does a cancelled run wait at most. Shorter slices would wake the thread more often than
  // what is slept for does, and each time it may have to wait for a CPU.
  static constexpr std::chrono::milliseconds kSlice{100};

  static int64_t part(int64_t ns, double share) {
    return static_cast<int64_t>(static_cast<double>(ns) * share);
  }

  static void wait(const Context& ctx, std::chrono::nanoseconds time) {
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + time;
    while (!ctx.cancelled()) {
      const auto left = end - Clock::now();
      if (left.count() <= 0) return;
      std::this_thread::sleep_for(std::min<Clock::duration>(left, kSlice));
    }
  }

  FiringTime time_;
  int64_t computed_ns_;
  uint64_t iterations_ = 0;
};

}  // namespace

OperatorDef make_sleep() {
  Schema schema("sleep", Kind::kMap,
                "Waits and passes its items on: a stand-in for a disk or a network. Runs on the "
                "I/O threads.");
  add_firing_time(schema, "Time that a firing waits.")
      .where(Where::kBlocking)
      .param({.name = "spin",
              .type = ParamType::kFloat,
              .doc = "Part of the time that uses a CPU instead, as decoding does behind a read.",
              .default_value = 0.0,
              .low = 0,
              .high = 1})
      .example("{op: sleep, params: {time: 2ms}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<Sleep>(params); }};
}

}  // namespace penstock::operators
