#include "penstock/spin.h"

#include "builtin.h"
#include "synthetic/per.h"

namespace penstock::operators {
namespace {

class Spin : public Operator {
 public:
  explicit Spin(const Params& params)
      : time_(params), iterations_(spin_iterations(params.integer("time"))) {}

  void process(Context& ctx) override {
    for (uint64_t left = time_.times(ctx); left > 0 && !ctx.cancelled(); --left) spin(iterations_);
  }

 private:
  FiringTime time_;
  uint64_t iterations_;
};

}  // namespace

OperatorDef make_spin() {
  Schema schema("spin", Kind::kMap,
                "Uses a CPU and passes its items on: a stand-in for work. Runs a fixed number of "
                "iterations, worked out from the machine's speed when the pipeline is loaded, so "
                "that it takes longer where real work would.");
  add_firing_time(schema, "CPU time of a firing on an idle machine.")
      .example("{op: spin, params: {time: 2ms, per: sample}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<Spin>(params); }};
}

}  // namespace penstock::operators
