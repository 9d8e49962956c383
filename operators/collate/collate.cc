#include "builtin.h"
#include "collate/pack.h"

namespace penstock::operators {
namespace {

class CollateOperator : public Collate {
 public:
  explicit CollateOperator(const Params& params)
      : size_(static_cast<size_t>(params.integer("batch_size"))),
        drop_last_(params.boolean("drop_last")) {}

  size_t batch_size() const override { return size_; }
  bool drop_last() const override { return drop_last_; }

  void infer(FieldTable& fields) override {
    names_.clear();
    for (int i = 0; i < fields.size(); ++i) {
      FieldInfo& field = fields.at(i);
      names_.push_back(field.name);
      if (field.name.empty() || field.is_text) continue;
      if (field.shape) {
        field.shape->insert(field.shape->begin(), drop_last_ ? static_cast<int64_t>(size_) : -1);
      }
      field.layout = batch_layout(field.layout);
    }
  }

  void process(Context& ctx) override {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (!names_[i].empty()) pack_field(ctx, static_cast<int>(i), names_[i]);
    }
  }

 private:
  size_t size_;
  bool drop_last_;
  std::vector<std::string> names_;  ///< of the input's fields, by index; empty: not there
};

}  // namespace

OperatorDef make_collate() {
  Schema schema("collate", Kind::kCollate,
                "Makes one batch of several samples: tensors of equal shape and element type are "
                "stacked along a new first dimension, texts become a list. A batch is filled from "
                "the following samples where some were filtered or skipped, and is never empty.");
  schema
      .param({.name = "batch_size",
              .type = ParamType::kInt,
              .doc = "Samples in a batch.",
              .required = true,
              .unit = "samples",
              .low = 1,
              .high = 1 << 24})
      .param({.name = "drop_last",
              .type = ParamType::kBool,
              .doc = "Drops the samples that are left at the end of an epoch and do not fill a "
                     "batch; otherwise they make a smaller one.",
              .default_value = false})
      .reads("*", "tensors of equal shape and element type in every sample, or texts")
      .writes("*", "[B, ...] tensors under the same names (HWC becomes NHWC, CHW NCHW), or lists")
      .example("{op: collate, params: {batch_size: 32, drop_last: true}}");
  return {.schema = std::move(schema),
          .make = [](const Params& params) { return std::make_unique<CollateOperator>(params); }};
}

}  // namespace penstock::operators
