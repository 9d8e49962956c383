#include <utility>

#include "penstock/plugin.h"
#include "testing/fields.h"

namespace penstock::testing {
namespace {

class Feed : public Source {
 public:
  explicit Feed(std::vector<NamedFields> items) : items_(std::move(items)) {}
  void infer(FieldTable& fields) override {
    if (items_.empty()) return;
    for (FieldInfo& field : known_fields(items_.front())) fields.add(std::move(field));
  }
  uint64_t size(uint32_t) const override { return items_.size(); }
  void process(Context& ctx) override {
    const NamedFields& item = items_[ctx.origin().index];
    for (size_t i = 0; i < item.size(); ++i) ctx.set(static_cast<int>(i), item[i].second);
  }

 private:
  std::vector<NamedFields> items_;
};

class Failing : public Operator {
 public:
  explicit Failing(std::set<uint64_t> positions) : positions_(std::move(positions)) {}
  void process(Context& ctx) override {
    if (positions_.count(ctx.origin().position) > 0) throw std::runtime_error("forced to fail");
  }

 private:
  std::set<uint64_t> positions_;
};

class Waiting : public Operator {
 public:
  explicit Waiting(Gate* gate) : gate_(gate) {}
  void process(Context& ctx) override { gate_->pass(ctx); }

 private:
  Gate* gate_;
};

Sample sample_of(const Batch& batch) {
  Sample sample{.origin = batch.item().origin, .dropped = false, .fields = {}};
  const std::vector<std::string>& names = batch.names();
  for (size_t i = 0; i < names.size() && i < batch.item().fields.size(); ++i) {
    if (!names[i].empty()) sample.fields.emplace_back(names[i], batch.item().fields[i]);
  }
  return sample;
}

/// The library of built-in operators is there in any case.
bool is_builtin() { return std::string_view(penstock_plugin()->name) == "penstock_operators"; }

}  // namespace

OperatorDef feed(std::string op, std::vector<NamedFields> items) {
  return {Schema(std::move(op), Kind::kSource, "Gives the items of a test."),
          [items = std::move(items)](const Params&) { return std::make_unique<Feed>(items); }};
}

OperatorDef fails_at(std::string op, std::set<uint64_t> positions) {
  return {Schema(std::move(op), Kind::kMap, "Fails where a test wants it."),
          [positions = std::move(positions)](const Params&) {
            return std::make_unique<Failing>(positions);
          }};
}

OperatorDef waits_at(std::string op, Gate& gate) {
  Schema schema(std::move(op), Kind::kMap, "Waits until a test opens its gate.");
  schema.where(Where::kBlocking);
  return {std::move(schema),
          [gate = &gate](const Params&) { return std::make_unique<Waiting>(gate); }};
}

Pipeline parse_pipeline(const std::string& yaml, std::vector<OperatorDef> more) {
  LoadOptions options;
  options.operators = std::move(more);
  if (!is_builtin()) {
    for (const OperatorDef& def : all_operators()) options.operators.push_back(def);
  }
  return Pipeline::parse(yaml, options);
}

RunResult run_pipeline(const std::string& yaml, std::vector<OperatorDef> more) {
  const Pipeline pipeline = parse_pipeline(yaml, std::move(more));
  RunResult result;
  Run run = pipeline.start();
  try {
    for (;;) {
      const Next next = run.next();
      if (next.kind == Next::Kind::kEnd) break;
      if (next.kind == Next::Kind::kBatch) result.items.push_back(sample_of(next.batch));
    }
  } catch (const RunError& error) {
    result.error = error.what();
  }
  result.report = run.report();
  return result;
}

}  // namespace penstock::testing
