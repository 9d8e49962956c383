// One operator in both forms of the entry point: what the C form costs more for an item. The body
// reads one tensor and asks for one, and computes next to nothing.

#include "plugin/c_form.h"

#include <algorithm>
#include <cstdlib>

#include "measurement.h"
#include "penstock/pipeline.h"

namespace penstock::bench {
namespace {

constexpr const char* kPipeline = R"(
penstock: 1
epochs: 1
nodes:
  - {id: make, op: synthetic, params: {items: 50000, shape: [8], dtype: float32}}
  - {id: pass, op: OP}
)";

class Passing : public Operator {
 public:
  void infer(FieldTable& fields) override { field_ = fields.require("x", ""); }
  void process(Context& ctx) override {
    const Tensor& in = ctx.tensor(field_);
    Tensor& out = ctx.output(field_, in.shape(), DType::kFloat32);
    out.mutable_data_as<float>()[0] = in.data_as<float>()[0];
  }

 private:
  int field_ = -1;
};

int32_t* field_of(void* self) { return static_cast<int32_t*>(self); }

void* create(const PenstockHost*, PenstockSetup*) { return std::malloc(sizeof(int32_t)); }
int describe(void* self, const PenstockHost* host, PenstockSetup* setup) {
  *field_of(self) = host->require(setup, "x", "");
  return *field_of(self) < 0 ? -1 : 0;
}
int process(void* self, const PenstockHost* host, PenstockFiring* firing) {
  DLTensor in, out;
  if (host->input(firing, *field_of(self), 0, &in) != 0) return -1;
  if (host->output(firing, *field_of(self), in.dtype, in.ndim, in.shape, PENSTOCK_NO_LAYOUT,
                   &out) != 0) {
    return -1;
  }
  static_cast<float*>(out.data)[0] = static_cast<const float*>(in.data)[0];
  return 0;
}

std::vector<OperatorDef> both_forms() {
  static const PenstockOperator c_pass = {PENSTOCK_OPERATOR_SIZES, .kind = PENSTOCK_MAP,
                                          .name = "c_pass",        .doc = "Copies one element.",
                                          .create = create,        .describe = describe,
                                          .destroy = std::free,    .process = process};
  static const PenstockOperator* const operators[] = {&c_pass, nullptr};
  static const PenstockCPlugin plugin = {
      sizeof(PenstockCPlugin), PENSTOCK_C_ABI_MAJOR, PENSTOCK_C_ABI_MINOR, "bench", "1", operators};
  std::vector<OperatorDef> defs;
  if (const std::string reason = definitions_of(plugin, &defs); !reason.empty()) {
    throw std::runtime_error(reason);
  }
  defs.push_back({Schema("cpp_pass", Kind::kMap, "Copies one element."),
                  [](const Params&) { return std::make_unique<Passing>(); }});
  return defs;
}

/// CPU nanoseconds of an item of the whole pipeline, on this thread.
double item_ns(const Pipeline& pipeline) {
  StartOptions options;
  options.inline_run = true;
  Run run = pipeline.start(options);
  const int64_t begin = cpu_now();
  uint64_t items = 0;
  for (Next next = run.next(); next.kind != Next::Kind::kEnd; next = run.next()) {
    items += next.kind == Next::Kind::kBatch ? 1 : 0;
  }
  return static_cast<double>(cpu_now() - begin) / static_cast<double>(items);
}

}  // namespace

Result measure_c_form(const Settings& settings) {
  const int rounds = settings.rounds > 0 ? settings.rounds : 9;
  LoadOptions options;
  options.operators = both_forms();
  const auto load = [&](const std::string& op) {
    std::string yaml = kPipeline;
    return Pipeline::parse(yaml.replace(yaml.find("OP"), 2, op), options);
  };
  const Pipeline c = load("c_pass"), cpp = load("cpp_pass");
  std::vector<double> c_ns, cpp_ns, more;
  for (int i = 0; i < rounds; ++i) {
    cpp_ns.push_back(item_ns(cpp));
    c_ns.push_back(item_ns(c));
    more.push_back(c_ns.back() - cpp_ns.back());
  }
  Result result;
  result.value = median(c_ns);
  result.unit = "ns of CPU an item of source and map, in the C form";
  result.baseline = median(cpp_ns);
  result.baseline_name = "C++ form";
  result.detail["more_ns"] = spread(more);
  result.ok = median(more) <= 100;
  return result;
}

}  // namespace penstock::bench
