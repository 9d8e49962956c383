#include "builtin.h"

namespace penstock::operators {
namespace {

/// A child's fields start as its parent's, so there is nothing to do but count.
class Repetitions : public Stream {
 public:
  explicit Repetitions(int64_t times) : left_(times) {}
  bool next(Context&) override { return left_-- > 0; }

 private:
  int64_t left_;
};

class Repeat : public Expand {
 public:
  explicit Repeat(const Params& params) : times_(params.integer("times")) {}
  std::unique_ptr<Stream> open(Context&) override { return std::make_unique<Repetitions>(times_); }

 private:
  int64_t times_;
};

}  // namespace

OperatorDef make_repeat() {
  return {.schema = Schema("repeat", Kind::kExpand,
                           "Passes on each item several times. The copies share their memory and "
                           "differ in their child path, so that random operators behind it draw "
                           "anew for each.")
                        .param({.name = "times",
                                .type = ParamType::kInt,
                                .doc = "How often each item goes on.",
                                .required = true,
                                .unit = "items",
                                .low = 0,
                                .high = 4294967295.0})
                        .example("{op: repeat, params: {times: 2}}"),
          .make = [](const Params& params) { return std::make_unique<Repeat>(params); }};
}

}  // namespace penstock::operators
