#include "bench_ops.h"

#include <time.h>

#include <stdexcept>

#include "penstock/spin.h"

namespace penstock::bench {
namespace {

uint64_t iterations(const Params& params) {
  return static_cast<uint64_t>(static_cast<double>(params.integer("ns")) * 1e-6 *
                               spin_iterations_per_ms());
}

class Items : public Source {
 public:
  explicit Items(const Params& params)
      : count_(static_cast<uint64_t>(params.integer("count"))),
        iterations_(iterations(params)),
        image_(Tensor::empty({64, 64, 3}, DType::kUInt8)),
        label_(Tensor::empty({1}, DType::kInt64)) {}
  void infer(FieldTable& fields) override {
    fields.add({"image", false, DType::kUInt8, std::vector<int64_t>{64, 64, 3}});
    fields.add({"label", false, DType::kInt64, std::vector<int64_t>{1}});
  }
  uint64_t size(uint32_t) const override { return count_; }
  void process(Context& ctx) override {
    if (iterations_ > 0) spin(iterations_);
    ctx.set(0, image_);
    ctx.set(1, label_);
  }

 private:
  const uint64_t count_, iterations_;
  const Tensor image_, label_;
};

class Pass : public Operator {
 public:
  explicit Pass(const Params&) {}
};

class Work : public Operator {
 public:
  explicit Work(const Params& params) : iterations_(iterations(params)) {}
  void process(Context&) override {
    if (iterations_ > 0) spin(iterations_);
  }

 private:
  const uint64_t iterations_;
};

class Wait : public Operator {
 public:
  explicit Wait(const Params& params) : ns_(params.integer("ns")) {}
  void process(Context&) override {
    const timespec time{ns_ / 1000000000, ns_ % 1000000000};
    nanosleep(&time, nullptr);
  }

 private:
  const int64_t ns_;
};

class Group : public Collate {
 public:
  explicit Group(const Params& params) : size_(static_cast<size_t>(params.integer("size"))) {}
  size_t batch_size() const override { return size_; }
  bool drop_last() const override { return false; }
  void process(Context& ctx) override {
    ctx.set(0, ctx.tensor(0));
    ctx.set(1, ctx.tensor(1));
  }

 private:
  const size_t size_;
};

template <typename Op>
void add(Registry* registry, Schema schema) {
  const auto make = [](const Params& params) -> std::unique_ptr<Operator> {
    return std::make_unique<Op>(params);
  };
  const std::string reason = registry->add({std::move(schema), make}, "bench");
  if (!reason.empty()) throw std::logic_error(reason);
}

Schema with(Schema schema, const std::string& required) {
  return schema.param({required, ParamType::kInt, "the figure", ParamValue{}, true});
}

/// Optional CPU work of each body.
Schema with_work(Schema schema) {
  return schema.param({"ns", ParamType::kInt, "CPU work", ParamValue{int64_t{0}}});
}

Registry make_registry() {
  Registry registry;
  add<Items>(&registry,
             with_work(with(Schema("items", Kind::kSource, "Two shared tensors."), "count")));
  add<Pass>(&registry, Schema("pass", Kind::kMap, "Nothing."));
  add<Work>(&registry, with_work(Schema("work", Kind::kMap, "CPU work.")));
  add<Wait>(&registry, with(Schema("wait", Kind::kMap, "Waits.").where(Where::kBlocking), "ns"));
  add<Group>(&registry, with(Schema("group", Kind::kCollate, "A batch."), "size"));
  add<Work>(&registry, with_work(Schema("end", Kind::kSink, "Drops everything.")));
  return registry;
}

void set(NodeSpec* node, const std::string& param, int64_t value) {
  node->params.emplace_back(Value::scalar(param), Value::scalar(std::to_string(value)));
}

GraphSpec spec_of(const std::vector<Stage>& stages) {
  GraphSpec spec;
  spec.epochs = 1;
  for (size_t i = 0; i < stages.size(); ++i) {
    const Stage& stage = stages[i];
    NodeSpec node;
    node.id = stage.op + std::to_string(i);
    node.op = stage.op;
    if (i > 0) {
      node.from_given = true;
      node.from.push_back({.node = spec.nodes.back().id});
      node.queue.items = static_cast<uint64_t>(stage.capacity);
    }
    if (!stage.param.empty()) set(&node, stage.param, stage.value);
    if (stage.work_ns > 0) set(&node, "ns", stage.work_ns);
    node.concurrency = stage.concurrency;
    spec.nodes.push_back(std::move(node));
  }
  return spec;
}

std::shared_ptr<const Plan> plan_of(const GraphSpec& spec) {
  std::vector<Diagnostic> mistakes;
  auto plan = make_plan(spec, bench_registry(), &mistakes);
  if (plan == nullptr) throw std::logic_error(format_text(mistakes));
  return plan;
}

}  // namespace

const Registry& bench_registry() {
  static const Registry registry = make_registry();
  return registry;
}

std::shared_ptr<const Plan> chain(const std::vector<Stage>& stages) {
  GraphSpec spec = spec_of(stages);
  spec.consumer.from = spec.nodes.back().id;
  return plan_of(spec);
}

std::shared_ptr<const Plan> chain_to_sink(const std::vector<Stage>& stages) {
  GraphSpec spec = spec_of(stages);
  NodeSpec tick;
  tick.id = "tick";
  tick.op = "items";
  set(&tick, "count", 1);
  spec.nodes.push_back(std::move(tick));
  spec.consumer.from = "tick";
  return plan_of(spec);
}

}  // namespace penstock::bench
