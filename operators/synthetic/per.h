#pragma once
/// What `sleep` and `spin` share: the parameters `time` and `per`.

#include "penstock/operator.h"

namespace penstock::operators {

/// How long a firing lasts: a time for each item, or for each sample of a batch.
class FiringTime {
 public:
  explicit FiringTime(const Params& params)
      : ns_(params.integer("time")), per_sample_(params.text("per") == "sample") {}

  /// Times `time` counts for this firing.
  uint64_t times(const Context& ctx) const { return per_sample_ ? ctx.in().sample_count() : 1; }
  int64_t ns() const { return ns_; }

 private:
  int64_t ns_;
  bool per_sample_;
};

/// Declares `time` and `per`.
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
              .choices = {"item", "sample"}});
}

}  // namespace penstock::operators
