#include "support/plain_operators.h"

#include <chrono>
#include <stdexcept>
#include <thread>

namespace penstock {
namespace {

int64_t value_of(const Context& ctx, int field, size_t i = 0) {
  return *ctx.tensor(field, i).data_as<int64_t>();
}

void put(Context& ctx, int field, int64_t value) {
  *ctx.output(field, {}, DType::kInt64).mutable_data_as<int64_t>() = value;
}

FieldInfo value_field() {
  return {.name = "value", .dtype = DType::kInt64, .shape = std::vector<int64_t>{}};
}

class Numbers : public Source {
 public:
  explicit Numbers(const Params& params) : sizes_(params.integers("sizes")) {}
  void infer(FieldTable& fields) override { field_ = fields.add(value_field()); }
  void process(Context& ctx) override {
    put(ctx, field_, 1000 * int64_t{ctx.origin().epoch} + static_cast<int64_t>(ctx.origin().index));
  }
  uint64_t size(uint32_t epoch) const override {
    return static_cast<uint64_t>(epoch < sizes_.size() ? sizes_[epoch] : sizes_.back());
  }

 private:
  std::vector<int64_t> sizes_;
  int field_ = -1;
};

/// Base of the maps: knows its field.
class ValueMap : public Operator {
 public:
  void infer(FieldTable& fields) override { field_ = fields.require("value", "from"); }

 protected:
  int field_ = -1;
};

class Pass : public ValueMap {
 public:
  explicit Pass(const Params& params)
      : add_(params.integer("add")),
        time_(params.integer("time")),
        fail_at_(params.has("fail_at") ? std::optional(params.integer("fail_at")) : std::nullopt) {}
  void process(Context& ctx) override {
    const int64_t value = value_of(ctx, field_);
    if (time_.count() > 0) std::this_thread::sleep_for(time_);
    if (value == fail_at_) throw std::runtime_error("refuses " + std::to_string(value));
    put(ctx, field_, value + add_);
  }

 private:
  int64_t add_;
  std::chrono::nanoseconds time_;
  std::optional<int64_t> fail_at_;
};

class Odd : public ValueMap {
 public:
  explicit Odd(const Params&) {}
  void process(Context& ctx) override {
    if (value_of(ctx, field_) % 2 == 0) ctx.drop();
  }
};

class Noise : public ValueMap {
 public:
  explicit Noise(const Params&) {}
  void process(Context& ctx) override {
    put(ctx, field_, static_cast<int64_t>(ctx.rng().below(1'000'000)));
  }
};

class Tally : public ValueMap {
 public:
  explicit Tally(const Params&) {}
  void reset(uint32_t) override { seen_ = 0; }
  void process(Context& ctx) override { put(ctx, field_, value_of(ctx, field_) + seen_++); }
  std::string checkpoint() const override { return std::to_string(seen_); }
  void restore(std::string_view state) override { seen_ = std::stoll(std::string(state)); }

 private:
  int64_t seen_ = 0;
};

class Text : public ValueMap {
 public:
  explicit Text(const Params&) {}
  void infer(FieldTable& fields) override {
    ValueMap::infer(fields);
    name_ = fields.add({.name = "name", .is_text = true});
  }
  void process(Context& ctx) override {
    ctx.set(name_, "n" + std::to_string(value_of(ctx, field_)));
  }

 private:
  int name_ = -1;
};

class Fan : public Expand {
 public:
  explicit Fan(const Params& params)
      : children_(params.integer("children")), empty_every_(params.integer("empty_every")) {}
  void infer(FieldTable& fields) override { field_ = fields.require("value", "from"); }
  std::unique_ptr<Stream> open(Context& ctx) override;

 private:
  int64_t children_, empty_every_;
  int field_ = -1;
};

class FanStream : public Stream {
 public:
  FanStream(int field, int64_t children) : field_(field), children_(children) {}
  bool next(Context& ctx) override {
    if (done_ == children_) return false;
    put(ctx, field_, value_of(ctx, field_) * 100 + done_++);
    return true;
  }

 private:
  int field_;
  int64_t children_, done_ = 0;
};

std::unique_ptr<Stream> Fan::open(Context& ctx) {
  const bool empty = empty_every_ > 0 && value_of(ctx, field_) % empty_every_ == 0;
  return std::make_unique<FanStream>(field_, empty ? 0 : children_);
}

class Group : public Collate {
 public:
  explicit Group(const Params& params)
      : size_(params.integer("size")), drop_last_(params.boolean("drop_last")) {}
  void infer(FieldTable& fields) override {
    in_ = fields.require("value", "from");
    fields.at(in_).shape = std::vector<int64_t>{-1};
  }
  void process(Context& ctx) override {
    int64_t count = 0;
    for (size_t i = 0; i < ctx.count(); ++i) count += ctx.tensor(in_, i).numel();
    auto* out = ctx.output(in_, {count}, DType::kInt64).mutable_data_as<int64_t>();
    for (size_t i = 0; i < ctx.count(); ++i) {
      const Tensor& part = ctx.tensor(in_, i);
      out = std::copy_n(part.data_as<int64_t>(), part.numel(), out);
    }
  }
  size_t batch_size() const override { return static_cast<size_t>(size_); }
  bool drop_last() const override { return drop_last_; }

 private:
  int64_t size_;
  bool drop_last_;
  int in_ = -1;
};

class First : public Take {
 public:
  explicit First(const Params& params) : count_(params.integer("count")) {}
  uint64_t limit() const override { return static_cast<uint64_t>(count_); }

 private:
  int64_t count_;
};

class Plain : public Operator {
 public:
  explicit Plain(const Params&) {}
};

template <typename T>
OperatorDef def(Schema schema) {
  return {std::move(schema), [](const Params& params) { return std::make_unique<T>(params); }};
}

Param whole(std::string name, int64_t value, double low) {
  return {.name = std::move(name),
          .type = ParamType::kInt,
          .doc = "A number.",
          .default_value = value,
          .low = low};
}

Param duration(int64_t ns) {
  return {.name = "time", .type = ParamType::kDuration, .doc = "Sleep.", .default_value = ns};
}

Param optional_number(std::string name) {
  return {.name = std::move(name), .type = ParamType::kInt, .doc = "A number."};
}

}  // namespace

void add_plain_operators(Registry* registry) {
  const auto add = [&](OperatorDef operator_def) {
    const std::string reason = registry->add(std::move(operator_def), "tests");
    if (!reason.empty()) throw std::logic_error(reason);
  };
  add(def<Numbers>(Schema("numbers", Kind::kSource, "Counts.")
                       .param({.name = "sizes",
                               .type = ParamType::kIntList,
                               .doc = "Records of each epoch.",
                               .default_value = std::vector<int64_t>{10},
                               .low = 0,
                               .min_items = 1})));
  add(def<Pass>(Schema("pass", Kind::kMap, "Adds.")
                    .param(whole("add", 0, -1e9))
                    .param(duration(0))
                    .param(optional_number("fail_at"))));
  add(def<Pass>(Schema("sleepy", Kind::kMap, "Waits.")
                    .where(Where::kBlocking)
                    .param(whole("add", 0, -1e9))
                    .param(duration(1'000'000))
                    .param(optional_number("fail_at"))));
  add(def<Odd>(Schema("odd", Kind::kMap, "Keeps odd values.").drops()));
  add(def<Noise>(Schema("noise", Kind::kMap, "Draws.").random()));
  add(def<Tally>(Schema("tally", Kind::kMap, "Counts on.").state(State::kSerial)));
  add(def<Text>(Schema("text", Kind::kMap, "Adds a name.")));
  add(def<Fan>(Schema("fan", Kind::kExpand, "Makes children.")
                   .param(whole("children", 3, 0))
                   .param(whole("empty_every", 0, 0))));
  add(def<Group>(Schema("group", Kind::kCollate, "Groups.")
                     .param({.name = "size",
                             .type = ParamType::kInt,
                             .doc = "Samples in a batch.",
                             .required = true,
                             .low = 1})
                     .param({.name = "drop_last",
                             .type = ParamType::kBool,
                             .doc = "Drop an incomplete batch.",
                             .default_value = false})));
  add(def<Plain>(Schema("pair", Kind::kZip, "Joins.")));
  add(def<Plain>(Schema("turns", Kind::kMerge, "Merges.")));
  add(def<First>(
      Schema("first", Kind::kTake, "Takes the first ones.").param(whole("count", 1, 0))));
  add(def<Plain>(Schema("swallow", Kind::kSink, "Takes all.")));
}

Registry plain_registry() {
  Registry registry;
  add_plain_operators(&registry);
  return registry;
}

}  // namespace penstock
