// A map on ATen operations: each sample with mean 0 and standard deviation 1. Of libtorch the
// narrow headers only: this file takes a third of the time that <torch/torch.h> would.
#include <ATen/ops/std_mean.h>
#include <penstock/plugin.h>
#include <penstock/torch.h>

#include <stdexcept>

namespace {

using namespace penstock;

class Standardize : public Operator {
 public:
  explicit Standardize(const Params& params)
      : name_(params.text("field")), epsilon_(params.number("epsilon")) {}

  void infer(FieldTable& fields) override {
    field_ = fields.require(name_, "field");
    const FieldInfo& info = fields.at(field_);
    if (info.is_text || info.dtype.value_or(DType::kFloat32) != DType::kFloat32) {
      throw ParamError("field", "'" + name_ + "' is no float32 tensor");
    }
  }

  void process(Context& ctx) override {
    const Tensor& in = ctx.tensor(field_);
    if (in.dtype() != DType::kFloat32 || in.numel() == 0) {
      throw std::invalid_argument("float32 elements are needed, not " + in.describe());
    }
    Tensor& out = ctx.output(field_, in.shape(), DType::kFloat32, in.layout());
    const at::Tensor x = to_torch(in);
    const auto [deviation, mean] = at::std_mean(x, /*unbiased=*/false);
    // Writes into the engine's memory: no copy, and none of torch's allocations stays.
    to_torch(out).copy_(x.sub(mean).div_(deviation.add(epsilon_)));
  }

 private:
  std::string name_;
  double epsilon_;
  int field_ = -1;
};

void register_operators(OperatorSink& sink) {
  Schema schema("standardize", Kind::kMap,
                "Subtracts a sample's mean and divides by its standard deviation.");
  schema
      .param({.name = "epsilon",
              .type = ParamType::kFloat,
              .doc = "Is added to the standard deviation, so that it is never 0.",
              .default_value = 1e-6,
              .low = 1e-12,
              .high = 1})
      .param({.name = "field",
              .type = ParamType::kString,
              .doc = "The tensor's field.",
              .default_value = std::string("x")})
      .reads("x", "float32 vector or tensor of any shape")
      .writes("x", "float32 tensor of the same shape")
      .example("{op: standardize}");
  sink.add({schema, [](const Params& params) { return std::make_unique<Standardize>(params); }});
}

}  // namespace

PENSTOCK_PLUGIN("standardize", "1.0.0", "the Penstock authors", "Apache-2.0", register_operators)
