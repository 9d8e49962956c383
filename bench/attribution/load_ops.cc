#include "attribution/load_ops.h"

#include <fmt/format.h>
#include <time.h>

#include <stdexcept>
#include <utility>

#include "attribution/cost_table.h"
#include "attribution/draw.h"
#include "penstock/operator.h"
#include "penstock/spin.h"
#include "plan/registry.h"

namespace penstock::bench::attribution {
namespace {

constexpr uint64_t kEndless = 1'000'000'000'000;
constexpr double kWakeNs = 50'000;  // that a sleep lasts longer than asked for
constexpr uint64_t kBySample = 0x73616d706c65ULL;

Load load_of(const Params& params) {
  const Spread spread{params.text("spread"), params.number("cv"), false};
  return {params.number("cpu_ms"), params.number("off_ms"), spread,
          static_cast<uint64_t>(params.integer("seed"))};
}

/// Which body of its node this is, by the sample's place in the source, so that it does not depend
/// on what happened before.
uint64_t call_of(const Context& ctx, double stride) {
  const Origin& origin = ctx.origin();
  return static_cast<uint64_t>(static_cast<double>(origin.position) / stride);
}

class LoadSource : public Source {
 public:
  explicit LoadSource(const Params& params)
      : load_(load_of(params)), value_(Tensor::empty({8}, DType::kUInt8)) {}
  void infer(FieldTable& fields) override {
    fields.add({"x", false, DType::kUInt8, std::vector<int64_t>{8}});
  }
  uint64_t size(uint32_t) const override { return kEndless; }
  void process(Context& ctx) override {
    load_.work(ctx.origin().position);
    ctx.set(0, value_);
  }

 private:
  const Load load_;
  const Tensor value_;
};

class LoadMap : public Operator {
 public:
  explicit LoadMap(const Params& params)
      : load_(load_of(params)), stride_(params.number("stride")) {}
  void process(Context& ctx) override { load_.work(call_of(ctx, stride_)); }

 private:
  const Load load_;
  const double stride_;
};

class LoadFilter : public Operator {
 public:
  explicit LoadFilter(const Params& params)
      : load_(load_of(params)), keep_(params.number("keep")) {}
  void process(Context& ctx) override {
    const uint64_t call = ctx.origin().position;
    load_.work(call);
    // Evenly, so that a batch needs nearly always the same number of samples.
    const auto upto = [this](uint64_t n) { return static_cast<uint64_t>(keep_ * double(n)); };
    if (upto(call + 1) == upto(call)) ctx.drop();
  }

 private:
  const Load load_;
  const double keep_;
};

class LoadExpand : public Expand {
 public:
  explicit LoadExpand(const Params& params)
      : load_(load_of(params)), children_(static_cast<uint64_t>(params.integer("children"))) {}
  std::unique_ptr<Stream> open(Context& ctx) override {
    return std::make_unique<Children>(&load_, children_, ctx.origin().position);
  }

 private:
  class Children : public Stream {
   public:
    Children(const Load* load, uint64_t count, uint64_t parent)
        : load_(*load), count_(count), parent_(parent) {}
    bool next(Context&) override {
      if (next_ == count_) return false;
      load_.work(parent_ * count_ + next_++);
      return true;
    }

   private:
    const Load& load_;
    const uint64_t count_, parent_;
    uint64_t next_ = 0;
  };
  const Load load_;
  const uint64_t children_;
};

class LoadCollate : public Collate {
 public:
  explicit LoadCollate(const Params& params)
      : load_(load_of(params)),
        stride_(params.number("stride")),
        size_(static_cast<size_t>(params.integer("batch"))) {}
  void infer(FieldTable& fields) override { fields_ = fields.size(); }
  size_t batch_size() const override { return size_; }
  bool drop_last() const override { return false; }
  void process(Context& ctx) override {
    load_.work(call_of(ctx, stride_));
    for (int field = 0; field < fields_; ++field) ctx.set(field, ctx.tensor(field));
  }

 private:
  const Load load_;
  const double stride_;
  const size_t size_;
  int fields_ = 0;
};

template <typename Op>
void add(Registry* registry, Role role, Kind kind, Where where) {
  Schema schema("load_" + name_of(role) + (where == Where::kBlocking ? "_io" : ""), kind,
                "Costs what it is told.");
  schema.where(where);
  if (role == Role::kFilter) schema.drops();
  for (const char* name : {"cpu_ms", "off_ms", "cv", "keep", "stride"}) {
    schema.param({name, ParamType::kFloat, "a figure of the case", ParamValue{1.0}});
  }
  for (const char* name : {"seed", "batch", "children"}) {
    schema.param({name, ParamType::kInt, "a figure of the case", ParamValue{int64_t{1}}});
  }
  schema.param({"spread", ParamType::kString, "a shape", ParamValue{std::string("constant")}});
  const auto make = [](const Params& params) -> std::unique_ptr<Operator> {
    return std::make_unique<Op>(params);
  };
  const std::string reason = registry->add({std::move(schema), make}, "bench");
  if (!reason.empty()) throw std::logic_error(reason);
}

Registry make_registry() {
  Registry registry;
  for (const Where where : {Where::kCpu, Where::kBlocking}) {
    add<LoadSource>(&registry, Role::kSource, Kind::kSource, where);
    add<LoadMap>(&registry, Role::kMap, Kind::kMap, where);
    add<LoadFilter>(&registry, Role::kFilter, Kind::kMap, where);
    add<LoadExpand>(&registry, Role::kExpand, Kind::kExpand, where);
    add<LoadCollate>(&registry, Role::kCollate, Kind::kCollate, where);
  }
  add<LoadMap>(&registry, Role::kZip, Kind::kZip, Where::kCpu);
  add<LoadMap>(&registry, Role::kMerge, Kind::kMerge, Where::kCpu);
  return registry;
}

const Registry& registry() {
  static const Registry all = make_registry();
  return all;
}

uint64_t seed_of(const PipelineCase& pipeline, const Spread& spread, size_t place) {
  return mix64(pipeline.seed, spread.by_sample ? kBySample : place + 1) >> 16;
}

void set(NodeSpec* node, const std::string& param, const std::string& value) {
  node->params.emplace_back(Value::scalar(param), Value::scalar(value));
}

/// Samples of the source for each body of a node, as positions count them.
double stride_of(const PipelineCase& pipeline, const std::vector<double>& calls, size_t n) {
  double sources = 0, count = 0;
  for (size_t s = 0; s < pipeline.nodes.size(); ++s) {
    if (pipeline.nodes[s].role != Role::kSource) continue;
    sources += calls[s];
    ++count;
  }
  return std::max(1.0, sources / count / calls[n]);
}

NodeSpec spec_of(const PipelineCase& pipeline, const std::vector<double>& calls, size_t n) {
  const NodeCase& node = pipeline.nodes[n];
  NodeSpec spec;
  spec.id = node.id;
  spec.op = "load_" + name_of(node.role) + (node.io ? "_io" : "");
  spec.from_given = true;
  for (const size_t from : node.from) {
    FromSpec one{
        .node = pipeline.nodes[from].id, .field = "", .name = "", .at = {}, .source_line = ""};
    if (node.role == Role::kZip) one.name = "in" + std::to_string(spec.from.size());
    spec.from.push_back(std::move(one));
  }
  if (node.from.empty()) spec.from_given = false;
  if (!node.from.empty()) spec.queue.items = static_cast<uint64_t>(node.capacity);
  spec.concurrency = node.slots;
  spec.order = node.any ? Order::kAny : Order::kPreserve;
  set(&spec, "cpu_ms", fmt::format("{:.6f}", node.cpu_ms));
  set(&spec, "off_ms", fmt::format("{:.6f}", node.off_ms));
  set(&spec, "spread", node.spread.shape);
  set(&spec, "cv", fmt::format("{:.6f}", node.spread.cv));
  set(&spec, "seed", std::to_string(seed_of(pipeline, node.spread, n)));
  set(&spec, "keep", fmt::format("{:.6f}", node.keep));
  set(&spec, "stride", fmt::format("{:.6f}", stride_of(pipeline, calls, n)));
  set(&spec, "batch", std::to_string(node.batch));
  set(&spec, "children", std::to_string(node.children));
  if (node.role == Role::kExpand) {
    set(&spec, "chunk", std::to_string(node.children));
    set(&spec, "cycle", std::to_string(std::max(4, node.slots)));
  }
  return spec;
}

}  // namespace

Load::Load(double cpu_ms, double off_ms, const Spread& spread, uint64_t seed)
    : iterations_(cpu_ms * spin_iterations_per_ms()),
      off_ns_(off_ms * 1e6),
      table_(cost_table(spread, seed)) {}

void Load::work(uint64_t call) const {
  const double factor = table_[call % table_.size()];
  if (iterations_ > 0) spin(static_cast<uint64_t>(iterations_ * factor));
  const auto ns = static_cast<int64_t>(off_ns_ * factor - kWakeNs);
  if (ns <= 0) return;
  const timespec time{ns / 1000000000, ns % 1000000000};
  nanosleep(&time, nullptr);
}

std::shared_ptr<const Plan> plan_of(const PipelineCase& pipeline) {
  const std::vector<double> calls = calls_per_batch(pipeline);
  GraphSpec spec;
  spec.name = "attribution-" + std::to_string(pipeline.seed);
  spec.seed = pipeline.seed;
  spec.threads = pipeline.threads;
  spec.epochs = 1;
  spec.fuse = false;
  for (size_t n = 0; n < pipeline.nodes.size(); ++n)
    spec.nodes.push_back(spec_of(pipeline, calls, n));
  spec.consumer.from = spec.nodes.back().id;
  spec.consumer.queue.items = static_cast<uint64_t>(pipeline.consumer.capacity);
  std::vector<Diagnostic> mistakes;
  auto plan = make_plan(spec, registry(), &mistakes);
  if (plan == nullptr) throw std::logic_error(format_text(mistakes));
  return plan;
}

Load consumer_load(const PipelineCase& pipeline) {
  const ConsumerCase& consumer = pipeline.consumer;
  return {consumer.cpu_ms, consumer.off_ms, consumer.spread,
          seed_of(pipeline, consumer.spread, pipeline.nodes.size())};
}

}  // namespace penstock::bench::attribution
