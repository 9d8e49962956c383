#include <algorithm>
#include <cstring>

#include "base/heap_context.h"
#include "penstock/plugin.h"
#include "penstock/testing.h"
#include "testing/fields.h"

namespace penstock::testing {
namespace {

/// A firing as the test wants it: fresh memory is full of 0xA5.
class TestContext : public HeapContext {
 public:
  TestContext(const Setup& setup, std::span<const Item* const> inputs, const Origin& origin)
      : HeapContext(setup.seed, hash_text(setup.stream), inputs, origin), setup_(setup) {}

  using Context::output;
  Tensor& output(int field, std::span<const int64_t> sizes, DType dtype, Layout layout) override {
    Tensor& tensor = HeapContext::output(field, sizes, dtype, layout);
    if (tensor.nbytes() != 0) std::memset(tensor.mutable_data(), 0xA5, tensor.nbytes());
    return tensor;
  }
  bool cancelled() const override { return setup_.cancelled; }
  std::string key(size_t i) const override {
    const uint64_t index = i < count_ ? in(i).origin.index : origin_->index;
    return index < setup_.keys.size() ? setup_.keys[index] : Context::key(i);
  }

  /// The finished output; `start` holds the fields that it begins with.
  Sample sample(std::vector<Field> start, const FieldTable& table) {
    Sample sample{.origin = *origin_, .dropped = dropped_, .tallies = {}, .fields = {}};
    if (dropped_) return sample;
    sample.tallies = tallies();
    Item item = finish(std::move(start), static_cast<size_t>(table.size()));
    for (int i = 0; i < table.size(); ++i) {
      if (!table.at(i).name.empty()) {
        sample.fields.emplace_back(table.at(i).name,
                                   std::move(item.fields[static_cast<size_t>(i)]));
      }
    }
    return sample;
  }

 private:
  const Setup& setup_;
};

class Collector : public OperatorSink {
 public:
  void add(OperatorDef def) override { defs.push_back(std::move(def)); }
  std::vector<OperatorDef> defs;
};

/// As the plan does for a value in YAML: 3 for a list or a float.
ParamValue fit(const Param& param, ParamValue value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    if (param.type == ParamType::kIntList) return std::vector<int64_t>{*number};
    if (param.type == ParamType::kFloat) return static_cast<double>(*number);
    if (param.type == ParamType::kFloatList) {
      return std::vector<double>{static_cast<double>(*number)};
    }
  }
  if (const auto* number = std::get_if<double>(&value)) {
    if (param.type == ParamType::kFloatList) return std::vector<double>{*number};
  }
  if (const auto* text = std::get_if<std::string>(&value)) {
    if (param.type == ParamType::kStringList) return std::vector<std::string>{*text};
  }
  return value;
}

std::vector<Item> make_items(const std::vector<NamedFields>& inputs, const Setup& setup) {
  std::vector<Item> items(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    items[i].origin.position = items[i].origin.index = i;
    if (i < setup.origins.size()) items[i].origin = setup.origins[i];
    items[i].samples.assign(setup.batch, items[i].origin);
    for (const auto& [name, field] : inputs[i]) items[i].fields.push_back(field);
  }
  return items;
}

std::vector<Sample> run_source(Source& source, const FieldTable& table, const Setup& setup) {
  std::vector<Sample> out;
  for (uint64_t i = 0; i < source.size(setup.epoch); ++i) {
    TestContext ctx(setup, {}, {.epoch = setup.epoch, .position = i, .index = i});
    source.process(ctx);
    out.push_back(ctx.sample({}, table));
  }
  return out;
}

void run_expand(Expand& op, const Item& item, const FieldTable& table, const Setup& setup,
                std::vector<Sample>* out) {
  const Item* parent = &item;
  TestContext open_ctx(setup, {&parent, 1}, item.origin);
  const std::unique_ptr<Stream> stream = op.open(open_ctx);
  Origin child = item.origin;
  child.depth += 1;
  for (;; ++child.child[child.depth - 1]) {
    TestContext ctx(setup, {&parent, 1}, child);
    if (!stream->next(ctx)) return;
    out->push_back(ctx.sample(item.fields, table));
  }
}

std::vector<Sample> run_collate(Collate& op, const std::vector<Item>& items,
                                const FieldTable& table, const Setup& setup) {
  std::vector<Sample> out;
  for (size_t from = 0; from < items.size(); from += op.batch_size()) {
    std::vector<const Item*> group;
    for (size_t i = from; i < std::min(items.size(), from + op.batch_size()); ++i) {
      group.push_back(&items[i]);
    }
    if (op.drop_last() && group.size() < op.batch_size()) break;
    TestContext ctx(setup, group, group.front()->origin);
    op.process(ctx);
    out.push_back(ctx.sample({}, table));
  }
  return out;
}

}  // namespace

std::vector<FieldInfo> known_fields(const NamedFields& fields) {
  std::vector<FieldInfo> known;
  for (const auto& [name, field] : fields) {
    FieldInfo info{.name = name};
    if (const auto* tensor = std::get_if<Tensor>(&field)) {
      info.dtype = tensor->dtype();
      info.shape = shape_of(*tensor);
      info.layout = tensor->layout();
    } else {
      info.is_text = true;
    }
    known.push_back(std::move(info));
  }
  return known;
}

const std::vector<OperatorDef>& all_operators() {
  static const std::vector<OperatorDef> defs = [] {
    Collector collector;
    penstock_plugin()->register_operators(collector);
    return std::move(collector.defs);
  }();
  return defs;
}

bool Sample::has(std::string_view name) const {
  return std::any_of(fields.begin(), fields.end(), [&](const auto& f) { return f.first == name; });
}

const Field& Sample::field(std::string_view name) const {
  for (const auto& [known, field] : fields) {
    if (known == name) return field;
  }
  throw std::out_of_range("there is no field '" + std::string(name) + "'");
}

const Tensor& Sample::tensor(std::string_view name) const { return std::get<Tensor>(field(name)); }
const std::string& Sample::text(std::string_view name) const {
  return std::get<std::string>(field(name));
}
const std::vector<std::string>& Sample::texts(std::string_view name) const {
  return std::get<std::vector<std::string>>(field(name));
}

const OperatorDef& find_operator(const std::string& op) {
  for (const OperatorDef& def : all_operators()) {
    if (def.schema.name() == op) return def;
  }
  throw std::out_of_range("there is no operator '" + op + "'");
}

std::vector<std::string> operator_names() {
  std::vector<std::string> names;
  for (const OperatorDef& def : all_operators()) names.push_back(def.schema.name());
  return names;
}

std::unique_ptr<Operator> make_operator(const std::string& op, const ParamList& params) {
  const OperatorDef& def = find_operator(op);
  Params values;
  for (const Param& param : def.schema.params()) values.set(param.name, param.default_value);
  for (const auto& [name, value] : params) {
    const Param* param = def.schema.find(name);
    if (param == nullptr) {
      throw std::logic_error(std::string(op).append(" has no parameter ").append(name));
    }
    values.set(name, fit(*param, value));
  }
  for (const Param& param : def.schema.params()) {
    if (param.required && !values.has(param.name)) {
      throw std::logic_error(op + " needs the parameter '" + param.name + "'");
    }
  }
  return def.make(values);
}

FieldTable infer_operator(const std::string& op, const ParamList& params, FieldTable fields) {
  make_operator(op, params)->infer(fields);
  return fields;
}

std::vector<Sample> run_operator(const std::string& op, const ParamList& params,
                                 const std::vector<NamedFields>& inputs, const Setup& setup) {
  const std::unique_ptr<Operator> object = make_operator(op, params);
  FieldTable table(setup.known.empty() && !inputs.empty() ? known_fields(inputs.front())
                                                          : setup.known);
  object->infer(table);
  object->reset(setup.epoch);
  if (auto* source = dynamic_cast<Source*>(object.get())) return run_source(*source, table, setup);
  const std::vector<Item> items = make_items(inputs, setup);
  if (auto* collate = dynamic_cast<Collate*>(object.get())) {
    return run_collate(*collate, items, table, setup);
  }
  std::vector<Sample> out;
  for (const Item& item : items) {
    if (auto* expand = dynamic_cast<Expand*>(object.get())) {
      run_expand(*expand, item, table, setup, &out);
      continue;
    }
    const Item* input = &item;
    TestContext ctx(setup, {&input, 1}, item.origin);
    object->process(ctx);
    out.push_back(ctx.sample(item.fields, table));
  }
  return out;
}

std::vector<int64_t> offsets_of(const Tensor& tensor) {
  std::vector<int64_t> offsets;
  if (tensor.numel() == 0) return offsets;
  std::vector<int64_t> index(static_cast<size_t>(tensor.dims()));
  for (;;) {
    int64_t offset = 0;
    for (int d = 0; d < tensor.dims(); ++d)
      offset += index[static_cast<size_t>(d)] * tensor.stride(d);
    offsets.push_back(offset);
    int d = tensor.dims() - 1;
    while (d >= 0 && ++index[static_cast<size_t>(d)] == tensor.size(d))
      index[static_cast<size_t>(d--)] = 0;
    if (d < 0) return offsets;
  }
}

}  // namespace penstock::testing
