#include "builtin.h"

namespace penstock::operators {
namespace {

class TakeOperator : public Take {
 public:
  explicit TakeOperator(const Params& params)
      : count_(static_cast<uint64_t>(params.integer("count"))) {}
  uint64_t limit() const override { return count_; }

 private:
  uint64_t count_;
};

}  // namespace

OperatorDef make_take() {
  return {.schema = Schema("take", Kind::kTake,
                           "Passes on the first items of each epoch and ends the epoch there. "
                           "Samples that were filtered or skipped do not count.")
                        .state(State::kSerial)
                        .order_sensitive()
                        .param({.name = "count",
                                .type = ParamType::kInt,
                                .doc = "Items of each epoch that go on.",
                                .required = true,
                                .unit = "items",
                                .low = 0})
                        .example("{op: take, params: {count: 1000}}"),
          .make = [](const Params& params) { return std::make_unique<TakeOperator>(params); }};
}

}  // namespace penstock::operators
