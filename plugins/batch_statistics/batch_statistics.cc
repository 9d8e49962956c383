// An aggregate: several samples in, one batch out, with the mean and the standard deviation of each
// element over its samples.
#include <penstock/plugin.h>

#include <cmath>
#include <stdexcept>

namespace {

using namespace penstock;

class BatchStatistics : public Collate {
 public:
  explicit BatchStatistics(const Params& params)
      : name_(params.text("field")),
        batch_size_(static_cast<size_t>(params.integer("batch_size"))) {}

  size_t batch_size() const override { return batch_size_; }
  bool drop_last() const override { return true; }

  // What goes on: the two new fields, nothing of the samples.
  void infer(FieldTable& fields) override {
    field_ = fields.require(name_, "field");
    const FieldInfo info = fields.at(field_);
    if (info.is_text || info.dtype.value_or(DType::kFloat32) != DType::kFloat32) {
      throw ParamError("field", "'" + name_ + "' is no float32 tensor");
    }
    for (int i = 0; i < fields.size(); ++i) fields.remove(i);
    mean_ = fields.add({.name = "mean", .dtype = DType::kFloat32, .shape = info.shape});
    deviation_ = fields.add({.name = "deviation", .dtype = DType::kFloat32, .shape = info.shape});
  }

  void process(Context& ctx) override {
    const Tensor& first = ctx.tensor(field_);
    for (size_t i = 0; i < ctx.count(); ++i) check(ctx, i, first);
    float* mean = ctx.output(mean_, first.shape(), DType::kFloat32).mutable_data_as<float>();
    float* deviation =
        ctx.output(deviation_, first.shape(), DType::kFloat32).mutable_data_as<float>();
    const auto count = static_cast<double>(ctx.count());
    for (int64_t element = 0; element < first.numel(); ++element) {
      double sum = 0, squares = 0;
      for (size_t i = 0; i < ctx.count(); ++i) {
        const double value = ctx.tensor(field_, i).data_as<float>()[element];
        sum += value;
        squares += value * value;
      }
      mean[element] = static_cast<float>(sum / count);
      const double variance = squares / count - (sum / count) * (sum / count);
      deviation[element] = static_cast<float>(std::sqrt(std::max(0.0, variance)));
    }
  }

 private:
  void check(Context& ctx, size_t i, const Tensor& first) const {
    const Tensor& tensor = ctx.tensor(field_, i);
    if (tensor.dtype() == DType::kFloat32 && tensor.contiguous() &&
        tensor.numel() == first.numel()) {
      return;
    }
    throw std::invalid_argument(ctx.key(i) + " has " + tensor.describe() +
                                ", which does not go with " + first.describe());
  }

  std::string name_;
  size_t batch_size_;
  int field_ = -1, mean_ = -1, deviation_ = -1;
};

void register_operators(OperatorSink& sink) {
  Schema schema("batch_statistics", Kind::kCollate,
                "Makes the mean and the standard deviation of each element over several samples.");
  schema
      .param({.name = "batch_size",
              .type = ParamType::kInt,
              .doc = "Samples that go into one result; what is left at an epoch's end is dropped.",
              .required = true,
              .unit = "samples",
              .low = 1,
              .high = 1 << 24})
      .param({.name = "field",
              .type = ParamType::kString,
              .doc = "The field of the samples.",
              .default_value = std::string("x")})
      .reads("x", "float32 vector or tensor, of one shape in all samples")
      .writes("mean", "float32 of that shape")
      .writes("deviation", "float32 of that shape")
      .example("{op: batch_statistics, params: {batch_size: 8}}");
  sink.add(
      {schema, [](const Params& params) { return std::make_unique<BatchStatistics>(params); }});
}

}  // namespace

PENSTOCK_PLUGIN("batch_statistics", "1.0.0", "the Penstock authors", "Apache-2.0",
                register_operators)
