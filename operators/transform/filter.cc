#include "builtin.h"

namespace penstock::operators {
namespace {

class Filter : public Operator {
 public:
  explicit Filter(const Params& params)
      : keep_(params.has("keep") ? params.number("keep") : 1.0),
        every_(params.has("every") ? static_cast<uint64_t>(params.integer("every")) : 1) {
    if (params.has("keep") == params.has("every")) {
      throw ParamError(params.has("keep") ? "every" : "keep",
                       "filter needs one of 'keep' and 'every'",
                       "keep: 0.5 keeps half at random, every: 2 keeps every second position");
    }
  }

  void process(Context& ctx) override {
    const bool kept = ctx.origin().position % every_ == 0 && chance(ctx);
    if (!kept) ctx.drop();
  }

 private:
  bool chance(Context& ctx) const { return keep_ >= 1 || ctx.rng().bernoulli(keep_); }

  double keep_;
  uint64_t every_;
};

}  // namespace

OperatorDef make_filter() {
  return {.schema = Schema("filter", Kind::kMap,
                           "Lets a part of the samples through, by chance (`keep`) or by their "
                           "place in the epoch (`every`). What it drops counts as filtered.")
                        .random()
                        .drops()
                        .param({.name = "keep",
                                .type = ParamType::kFloat,
                                .doc = "Probability that a sample stays.",
                                .low = 0,
                                .high = 1})
                        .param({.name = "every",
                                .type = ParamType::kInt,
                                .doc = "Keeps the positions 0, n, 2n, ... of each epoch.",
                                .unit = "positions",
                                .low = 1})
                        .example("{op: filter, params: {keep: 0.5}}"),
          .make = [](const Params& params) { return std::make_unique<Filter>(params); }};
}

}  // namespace penstock::operators
