#pragma once
/// What `sleep` and `spin` share: the parameters `time`, `per` and `every`.

#include <algorithm>

#include "penstock/operator.h"

namespace penstock::operators {

/// How long a firing lasts: a time for each item, or for each sample of a batch, or only for those
/// at every n-th position.
class FiringTime {
 public:
  explicit FiringTime(const Params& params)
      : ns_(params.integer("time")),
        per_sample_(params.text("per") == "sample"),
        every_(static_cast<uint64_t>(params.integer("every"))) {}

  /// Times `time` counts for this firing.
  uint64_t times(const Context& ctx) const {
    const Item& item = ctx.in();
    if (!per_sample_ || !item.is_batch()) return counts(item.origin) ? 1 : 0;
    if (every_ == 1) return item.sample_count();
    return static_cast<uint64_t>(
        std::count_if(item.samples.begin(), item.samples.end(),
                      [this](const Origin& origin) { return counts(origin); }));
  }
  int64_t ns() const { return ns_; }

 private:
  bool counts(const Origin& origin) const { return origin.position % every_ == 0; }

  int64_t ns_;
  bool per_sample_;
  uint64_t every_;
};

/// Declares `time`, `per` and `every`.
inline Schema& add_firing_time(Schema& schema, const std::string& doc) {
  return schema
      .param({.name = "time",
              .type = ParamType::kDuration,
              .doc = doc,
              .required = true,
              .unit = "ns",
              .low = 0})
      .param({.name = "per",
              .type = ParamType::kChoice,
              .doc = "Whether a batch counts once or once for each of its samples.",
              .default_value = std::string("item"),
              .choices = {"item", "sample"}})
      .param({.name = "every",
              .type = ParamType::kInt,
              .doc = "Only the positions 0, n, 2n, ... of each epoch take the time, the others "
                     "none: bursts. A batch stands where its first sample does.",
              .default_value = int64_t{1},
              .unit = "positions",
              .low = 1});
}

}  // namespace penstock::operators
