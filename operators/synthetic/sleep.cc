#include <algorithm>
#include <chrono>
#include <thread>

#include "builtin.h"
#include "synthetic/per.h"

namespace penstock::operators {
namespace {

class Sleep : public Operator {
 public:
  explicit Sleep(const Params& params) : time_(params) {}

  void process(Context& ctx) override {
    using Clock = std::chrono::steady_clock;
    const std::chrono::nanoseconds each(time_.ns());
    const auto end = Clock::now() + each * static_cast<int64_t>(time_.times(ctx));
    // In slices, so that a cancelled run need not wait for a long one.
    while (!ctx.cancelled()) {
      const auto left = end - Clock::now();
      if (left.count() <= 0) return;
      std::this_thread::sleep_for(std::min<Clock::duration>(left, kSlice));
    }
  }

 private:
  static constexpr std::chrono::milliseconds kSlice{20};
  FiringTime time_;
};

}  // namespace

OperatorDef make_sleep() {
  Schema schema("sleep", Kind::kMap,
                "Waits and passes its items on: a stand-in for a disk or a network. Runs on the "
                "I/O threads.");
  add_firing_time(schema, "Time that a firing waits.")
      .where(Where::kBlocking)
      .example("{op: sleep, params: {time: 2ms}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<Sleep>(params); }};
}

}  // namespace penstock::operators
