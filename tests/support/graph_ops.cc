#include "support/graph_ops.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

namespace penstock::testing {
namespace {

constexpr int kValue = 0, kPad = 1, kToken = 2;  // field indices: every node keeps them

/// What all operators here share: the node they are, reading and writing the fields.
class Body {
 public:
  Body(World* world, int node) : world_(*world), node_(node) {}

 protected:
  const CaseNode& spec() const { return world_.graph.nodes[static_cast<size_t>(node_)]; }

  static void declare(FieldTable& fields, bool batch) {
    const std::vector<int64_t> shape = batch ? std::vector<int64_t>{-1} : std::vector<int64_t>{};
    const int at[] = {fields.add({"v", false, DType::kInt64, shape}),
                      fields.add({"pad", false, DType::kUInt8, std::vector<int64_t>{-1}}),
                      fields.add({"token", false, DType::kUInt8, std::vector<int64_t>{-1}})};
    if (at[0] != kValue || at[1] != kPad || at[2] != kToken) {
      throw std::logic_error("the fields v, pad and token are not the first ones");
    }
  }

  std::vector<int64_t> read(Context& ctx, size_t input = 0) const {
    return received(world_, ctx.in(input)).values;
  }

  void write(Context& ctx, const std::vector<int64_t>& values, bool batch) const {
    const int64_t size = static_cast<int64_t>(values.size());
    const std::span<const int64_t> shape = batch ? std::span(&size, 1) : std::span<int64_t>();
    std::copy(values.begin(), values.end(),
              ctx.output(kValue, shape, DType::kInt64).mutable_data_as<int64_t>());
    const int pad = pad_bytes(values);
    uint8_t* bytes = ctx.output(kPad, {pad}, DType::kUInt8).mutable_data_as<uint8_t>();
    std::fill(bytes, bytes + pad, static_cast<uint8_t>(values.front()));
  }

  void write_token(Context& ctx, int bytes) const { ctx.set(kToken, world_.tokens.make(bytes)); }

  World& world_;
  const int node_;
};

/// Two threads in an object that one thread at a time may use are a violation.
class Alone {
 public:
  Alone(World& world, std::atomic<bool>& busy) : busy_(busy) {
    if (busy_.exchange(true)) world.violation("two threads in one object at a time");
  }
  ~Alone() { busy_ = false; }

 private:
  std::atomic<bool>& busy_;
};

class CaseSource : public Source, Body {
 public:
  using Body::Body;
  void infer(FieldTable& fields) override { declare(fields, false); }
  uint64_t size(uint32_t epoch) const override {
    return static_cast<uint64_t>(spec().sizes[epoch % spec().sizes.size()]);
  }
  void process(Context& ctx) override {
    world_.enter(node_, ctx.origin());
    write(ctx, {source_value(node_, key_of(ctx.origin()))}, false);
    write_token(ctx, 8);
  }
};

class CaseMap : public Operator, Body {
 public:
  using Body::Body;
  void process(Context& ctx) override {
    if (spec().per_slot) {
      Alone alone(world_, busy_);
      return map(ctx);
    }
    map(ctx);
  }
  bool try_now(Context& ctx) override {
    if (key_of(ctx.origin()) % 3 != 0) return false;
    process(ctx);
    return true;
  }
  size_t output_pool() const override { return static_cast<size_t>(spec().pool); }

 private:
  void map(Context& ctx) {
    world_.enter(node_, ctx.origin());
    if (spec().step == Step::kFilter && body_drops(world_.graph, node_, key_of(ctx.origin()))) {
      return ctx.drop();
    }
    std::vector<int64_t> values = read(ctx);
    for (int64_t& value : values) value = map_value(node_, value);
    write(ctx, values, ctx.in().is_batch());
  }
  std::atomic<bool> busy_{false};
};

class CaseState : public Operator, Body {
 public:
  using Body::Body;
  void reset(uint32_t epoch) override {
    Alone alone(world_, busy_);
    epoch_ = epoch;
    state_ = 1;
  }
  void process(Context& ctx) override {
    Alone alone(world_, busy_);
    if (ctx.origin().epoch != epoch_) world_.violation("state of another epoch");
    world_.enter(node_, ctx.origin());
    std::vector<int64_t> values = read(ctx);
    for (int64_t& value : values) {
      state_ = state_value(state_, map_value(node_, value));
      value = state_;
    }
    write(ctx, values, ctx.in().is_batch());
  }

 private:
  std::atomic<bool> busy_{false};
  uint32_t epoch_ = 0;
  int64_t state_ = 1;
};

class CaseZip : public Operator, Body {
 public:
  using Body::Body;
  void infer(FieldTable& fields) override {
    for (size_t i = 1; i < spec().from.size(); ++i) {
      others_.push_back(fields.require("r" + std::to_string(i) + ".v", "from"));
    }
    for (int other : others_) fields.remove(other);
  }
  void process(Context& ctx) override {
    world_.enter(node_, ctx.origin());
    std::vector<int64_t> values = read(ctx);
    for (int other : others_) {
      const Tensor& right = ctx.tensor(other);
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = zip_value(values[i], right.data_as<int64_t>()[i]);
      }
    }
    write(ctx, values, ctx.in().is_batch());
  }

 private:
  std::vector<int> others_;
};

class CaseCollate : public Collate, Body {
 public:
  using Body::Body;
  void infer(FieldTable& fields) override { declare(fields, true); }
  size_t batch_size() const override { return static_cast<size_t>(spec().batch); }
  bool drop_last() const override { return spec().drop_last; }
  void process(Context& ctx) override {
    world_.enter(node_, ctx.origin());
    std::vector<int64_t> values;
    for (size_t i = 0; i < ctx.count(); ++i) {
      for (int64_t value : read(ctx, i)) values.push_back(value);
    }
    write(ctx, values, true);
    write_token(ctx, static_cast<int>(8 * ctx.count()));
  }
};

class CaseTake : public Take, Body {
 public:
  using Body::Body;
  uint64_t limit() const override { return static_cast<uint64_t>(spec().limit); }
};

class CaseMerge : public Operator, Body {
 public:
  using Body::Body;
};

class CaseExpand : public Expand, Body {
 public:
  using Body::Body;
  std::unique_ptr<Stream> open(Context& ctx) override {
    return std::make_unique<Children>(&world_, node_, ctx.origin());
  }

 private:
  class Children : public Stream, Body {
   public:
    Children(World* world, int node, const Origin& parent)
        : Body(world, node),
          parent_(parent),
          count_(child_count(world->graph, node, key_of(parent))) {}
    bool next(Context& ctx) override {
      Alone alone(world_, busy_);
      if (next_ == count_) return false;
      const Origin child = child_of(parent_, static_cast<uint32_t>(next_++));
      world_.enter(node_, child);
      write(ctx, {child_value(read(ctx).front(), key_of(child))}, false);
      write_token(ctx, 8);
      return true;
    }

   private:
    const Origin parent_;
    const int count_;
    int next_ = 0;
    std::atomic<bool> busy_{false};
  };
};

class CaseSink : public Operator, Body {
 public:
  using Body::Body;
  void process(Context& ctx) override {
    world_.enter(node_, ctx.origin());
    world_.record(node_, received(world_, ctx.in()));
  }
};

template <typename Op>
void add(Registry& registry, World* world, Step step, Kind kind, State state = State::kStateless,
         Where where = Where::kCpu) {
  std::string name = std::string("case_") + name_of(step);
  if (state == State::kPerSlot) name += "_slot";
  if (where == Where::kBlocking) name += "_io";
  Schema schema(name, kind, "Does what the case says.");
  schema.where(where).state(state);
  schema.param({"node", ParamType::kInt, "its index", ParamValue{}, true});
  const auto make = [world](const Params& params) -> std::unique_ptr<Operator> {
    return std::make_unique<Op>(world, static_cast<int>(params.integer("node")));
  };
  if (std::string reason = registry.add({schema, make}, "test"); !reason.empty()) {
    throw std::logic_error(reason);
  }
}

}  // namespace

Tensor Tokens::make(int bytes) {
  static uint8_t memory[1024] = {};
  const int64_t size = std::min<int64_t>(bytes, sizeof(memory));
  const int64_t now = live_.fetch_add(1) + 1;
  int64_t seen = live_max_.load();
  while (now > seen && !live_max_.compare_exchange_weak(seen, now)) {
  }
  return Tensor(wrap_memory(memory, static_cast<size_t>(size), this, &Tokens::drop), memory,
                DType::kUInt8, std::span(&size, 1));
}

void Tokens::drop(void* self) { static_cast<Tokens*>(self)->live_.fetch_sub(1); }

World::World(GraphCase graph_case) : graph(std::move(graph_case)) {
  register_operators();
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    if (graph.nodes[i].step == Step::kSink) sinks_[static_cast<int>(i)] = {};
  }
}

void World::register_operators() {
  add<CaseSource>(registry_, this, Step::kSource, Kind::kSource);
  add<CaseSource>(registry_, this, Step::kSource, Kind::kSource, State::kStateless,
                  Where::kBlocking);
  add<CaseMap>(registry_, this, Step::kMap, Kind::kMap);
  add<CaseMap>(registry_, this, Step::kMap, Kind::kMap, State::kPerSlot);
  add<CaseMap>(registry_, this, Step::kMap, Kind::kMap, State::kStateless, Where::kBlocking);
  add<CaseMap>(registry_, this, Step::kMap, Kind::kMap, State::kPerSlot, Where::kBlocking);
  add<CaseMap>(registry_, this, Step::kFilter, Kind::kMap);
  add<CaseState>(registry_, this, Step::kState, Kind::kMap, State::kSerial);
  add<CaseTake>(registry_, this, Step::kTake, Kind::kTake);
  add<CaseCollate>(registry_, this, Step::kCollate, Kind::kCollate);
  add<CaseZip>(registry_, this, Step::kZip, Kind::kZip);
  add<CaseMerge>(registry_, this, Step::kMerge, Kind::kMerge);
  add<CaseExpand>(registry_, this, Step::kExpand, Kind::kExpand);
  add<CaseExpand>(registry_, this, Step::kExpand, Kind::kExpand, State::kStateless,
                  Where::kBlocking);
  add<CaseSink>(registry_, this, Step::kSink, Kind::kSink);
}

std::shared_ptr<const Plan> World::plan(std::string* mistakes) const {
  std::vector<Diagnostic> diagnostics;
  auto plan = make_plan(to_spec(graph), registry_, &diagnostics);
  if (plan == nullptr && mistakes != nullptr) *mistakes = format_text(diagnostics);
  return plan;
}

void World::record(int node, Received item) {
  std::lock_guard lock(mutex_);
  Epochs& epochs = sinks_[node];
  const uint32_t epoch = item.samples.front().epoch;
  if (epochs.size() <= epoch) epochs.resize(epoch + 1);
  epochs[epoch].push_back(std::move(item));
}

void World::violation(const std::string& text) {
  std::lock_guard lock(mutex_);
  if (violations_.size() < 5) violations_.push_back(text);
}

std::vector<std::string> World::violations() const {
  std::lock_guard lock(mutex_);
  return violations_;
}

std::map<int, Epochs> World::sinks() const {
  std::lock_guard lock(mutex_);
  return sinks_;
}

void World::enter(int node, const Origin& origin) {
  bodies.fetch_add(1, std::memory_order_relaxed);
  const uint64_t key = key_of(origin);
  if (jitter != 0) {
    const uint64_t draw = scramble(scramble(jitter, static_cast<uint64_t>(node)), key);
    if (draw % 8 == 0) std::this_thread::yield();
    if (draw % 4 == 1) {
      volatile uint64_t steps = (draw >> 8) % 3000;
      while (steps > 0) steps = steps - 1;
    }
  }
  if (on_body) on_body(node, origin);
  if (body_fails(graph, node, key)) throw std::runtime_error("drawn to fail");
}

Received received(World& world, const Item& item) {
  Received result;
  result.samples = item.is_batch() ? item.samples : std::vector<Origin>{item.origin};
  const Tensor& values = std::get<Tensor>(item.fields[kValue]);
  const int64_t* data = values.data_as<int64_t>();
  result.values.assign(data, data + values.numel());
  const Tensor& pad = std::get<Tensor>(item.fields[kPad]);
  bool same = pad.numel() == pad_bytes(result.values);
  for (uint8_t byte : pad.bytes()) same = same && byte == static_cast<uint8_t>(*data);
  if (!same) world.violation("padding of another item");
  return result;
}

}  // namespace penstock::testing
