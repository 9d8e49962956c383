#include "plugin/c_form.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

#include "plan/param_value.h"
#include "plugin/c_host.h"

namespace penstock {
namespace {

void rethrow(const std::exception_ptr& cause, const char* otherwise) {
  if (cause != nullptr) std::rethrow_exception(cause);
  throw std::runtime_error(otherwise);
}

/// An object of the library.
class Object {
 public:
  Object(const PenstockOperator& op, const Params& params) : op_(op), params_(params) {
    PenstockSetup setup{.params = &params_};
    self_ = op.create(&c_host(), &setup);
    if (setup.cause != nullptr || self_ == nullptr) {
      destroy();
      rethrow(setup.cause, "the operator made no object and gives no reason");
    }
  }
  ~Object() { destroy(); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;

  void describe(FieldTable& fields) {
    PenstockSetup setup{.params = &params_, .fields = &fields};
    const int code = op_.describe(self_, &c_host(), &setup);
    if (code != 0 || setup.cause != nullptr) {
      rethrow(setup.cause, "the operator cannot work here and gives no reason");
    }
  }
  void process(Context& ctx) {
    PenstockFiring firing{.context = &ctx};
    const int code = op_.process(self_, &c_host(), &firing);
    if (code != 0 || firing.cause != nullptr) rethrow(firing.cause, kNoReason);
  }
  const PenstockOperator& op() const { return op_; }
  void* self() const { return self_; }

  static constexpr const char* kNoReason = "the operator failed and gives no reason";

 private:
  void destroy() {
    if (self_ != nullptr && op_.destroy != nullptr) op_.destroy(self_);
  }
  const PenstockOperator& op_;
  Params params_;
  void* self_ = nullptr;
};

class CMap : public Operator {
 public:
  CMap(const PenstockOperator& op, const Params& params) : object_(op, params) {}
  void infer(FieldTable& fields) override { object_.describe(fields); }
  void process(Context& ctx) override { object_.process(ctx); }

 private:
  Object object_;
};

class CSource : public Source {
 public:
  CSource(const PenstockOperator& op, const Params& params) : object_(op, params) {}
  void infer(FieldTable& fields) override { object_.describe(fields); }
  void process(Context& ctx) override { object_.process(ctx); }
  uint64_t size(uint32_t epoch) const override { return object_.op().size(object_.self(), epoch); }

 private:
  Object object_;
};

class CCollate : public Collate {
 public:
  CCollate(const PenstockOperator& op, const Params& params) : object_(op, params) {}
  void infer(FieldTable& fields) override { object_.describe(fields); }
  void process(Context& ctx) override { object_.process(ctx); }
  size_t batch_size() const override {
    return std::max<size_t>(1, object_.op().batch_size(object_.self()));
  }
  bool drop_last() const override { return (object_.op().flags & PENSTOCK_DROP_LAST) != 0; }

 private:
  Object object_;
};

class CStream : public Stream {
 public:
  CStream(const PenstockOperator& op, void* stream) : op_(op), stream_(stream) {}
  ~CStream() override { op_.close(stream_); }
  bool next(Context& ctx) override {
    PenstockFiring firing{.context = &ctx};
    const int code = op_.next(stream_, &c_host(), &firing);
    if (code < 0 || firing.cause != nullptr) rethrow(firing.cause, Object::kNoReason);
    return code > 0;
  }

 private:
  const PenstockOperator& op_;
  void* stream_;
};

class CExpand : public Expand {
 public:
  CExpand(const PenstockOperator& op, const Params& params) : object_(op, params) {}
  void infer(FieldTable& fields) override { object_.describe(fields); }
  std::unique_ptr<Stream> open(Context& ctx) override {
    PenstockFiring firing{.context = &ctx};
    void* stream = object_.op().open(object_.self(), &c_host(), &firing);
    if (stream == nullptr) rethrow(firing.cause, Object::kNoReason);
    auto result = std::make_unique<CStream>(object_.op(), stream);
    if (firing.cause != nullptr) std::rethrow_exception(firing.cause);
    return result;
  }

 private:
  Object object_;
};

// ---- schemas ----

std::string text_of(const char* text) { return text == nullptr ? "" : text; }

std::string trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// "[a, b c]": items have blanks inside, but no quotes, commas or brackets. Nothing: it is no list.
std::optional<Value> list_of(const std::string& text) {
  if (text.size() < 2 || text.front() != '[' || text.back() != ']') return std::nullopt;
  const std::string inner = text.substr(1, text.size() - 2);
  if (inner.find_first_of("[]{}\"'#") != std::string::npos) return std::nullopt;
  std::vector<Value> items;
  if (trimmed(inner).empty()) return Value::list({});
  for (size_t begin = 0; begin <= inner.size();) {
    const size_t end = std::min(inner.find(',', begin), inner.size());
    items.push_back(Value::scalar(trimmed(inner.substr(begin, end - begin))));
    begin = end + 1;
  }
  return Value::list(std::move(items));
}

bool is_list(ParamType type) {
  return type == ParamType::kIntList || type == ParamType::kFloatList ||
         type == ParamType::kStringList;
}

/// Puts the default into `param`, or gives the reason why it is none.
std::string take_default(const char* text, Param* param) {
  if (text == nullptr) return "";
  const bool list = is_list(param->type) && text[0] == '[';  // a single value is a list of one
  const auto given = list ? list_of(text) : Value::scalar(text);
  if (!given) {
    return "parameter '" + param->name + "': the default '" + text +
           "' is no flat list like [1, 2] without quotes";
  }
  std::vector<Diagnostic> found;
  Complaints say(&found);
  const auto value = convert_value(*given, *param, "the default", "", &say);
  if (!value) {
    return "parameter '" + param->name + "': " + (found.empty() ? "bad default" : found[0].message);
  }
  param->default_value = *value;
  return "";
}

/// The next element of an array whose elements may be longer than those of this engine.
template <typename Element>
const Element* after(const Element* at, size_t size) {
  return reinterpret_cast<const Element*>(reinterpret_cast<const char*>(at) + size);
}

/// Calls `take` with each element before the one without a name.
template <typename Take>
void for_each_field(const PenstockField* at, const PenstockOperator& op, Take take) {
  for (; at != nullptr && at->name != nullptr; at = after(at, op.field_size)) take(*at);
}

std::string add_params(const PenstockOperator& op, Schema* schema) {
  for (const PenstockParam* at = op.params; at != nullptr && at->name != nullptr;
       at = after(at, op.param_size)) {
    if (at->type < PENSTOCK_BOOL || at->type > PENSTOCK_STRING_LIST) {
      return std::string("parameter '") + at->name + "' has a type that this engine does not know";
    }
    Param param{.name = at->name,
                .type = static_cast<ParamType>(at->type),
                .doc = text_of(at->doc),
                .required = at->is_required != 0,
                .unit = text_of(at->unit)};
    if (at->low != nullptr) param.low = *at->low;
    if (at->high != nullptr) param.high = *at->high;
    for (const char* const* choice = at->choices; choice != nullptr && *choice != nullptr;
         ++choice) {
      param.choices.emplace_back(*choice);
    }
    if (std::string reason = take_default(at->default_value, &param); !reason.empty())
      return reason;
    schema->param(std::move(param));
  }
  return "";
}

/// Why its functions are not those of its kind, or "".
std::string check_functions(const PenstockOperator& op) {
  const bool expand = op.kind == PENSTOCK_EXPAND;
  if (op.create == nullptr || op.describe == nullptr) return "it has no create() or describe()";
  if (!expand && op.process == nullptr) return "it has no process()";
  if (op.kind == PENSTOCK_SOURCE && op.size == nullptr) return "a source needs size()";
  if (op.kind == PENSTOCK_COLLATE && op.batch_size == nullptr)
    return "a collate needs batch_size()";
  if (expand && (op.open == nullptr || op.next == nullptr || op.close == nullptr)) {
    return "an expand needs open(), next() and close()";
  }
  return "";
}

std::string schema_of(const PenstockOperator& op, Schema* schema) {
  constexpr Kind kKinds[] = {Kind::kSource, Kind::kMap, Kind::kExpand, Kind::kCollate};
  constexpr Where kPlaces[] = {Where::kCpu, Where::kBlocking};
  constexpr State kStates[] = {State::kStateless, State::kPerSlot, State::kSerial};
  if (op.kind < 0 || op.kind > PENSTOCK_COLLATE || op.where < 0 || op.where > PENSTOCK_BLOCKING ||
      op.state < 0 || op.state > PENSTOCK_SERIAL) {
    return "its kind, place or state is one that this engine does not know";
  }
  *schema = Schema(text_of(op.name), kKinds[op.kind], text_of(op.doc));
  schema->where(kPlaces[op.where]).state(kStates[op.state]).example(text_of(op.example));
  if ((op.flags & PENSTOCK_RANDOM) != 0) schema->random();
  if ((op.flags & PENSTOCK_DROPS) != 0) schema->drops();
  for_each_field(op.reads, op, [schema](const PenstockField& field) {
    schema->reads(field.name, text_of(field.doc));
  });
  for_each_field(op.writes, op, [schema](const PenstockField& field) {
    schema->writes(field.name, text_of(field.doc));
  });
  if (op.struct_size >= offsetof(PenstockOperator, tallies) + sizeof(void*)) {
    for_each_field(op.tallies, op, [schema](const PenstockField& field) {
      schema->tallies(field.name, text_of(field.doc));
    });
  }
  return add_params(op, schema);
}

OperatorFactory factory_of(const PenstockOperator& op) {
  return [&op](const Params& params) -> std::unique_ptr<Operator> {
    switch (op.kind) {
      case PENSTOCK_SOURCE:
        return std::make_unique<CSource>(op, params);
      case PENSTOCK_EXPAND:
        return std::make_unique<CExpand>(op, params);
      case PENSTOCK_COLLATE:
        return std::make_unique<CCollate>(op, params);
      default:
        return std::make_unique<CMap>(op, params);
    }
  };
}

}  // namespace

std::string definitions_of(const PenstockCPlugin& plugin, std::vector<OperatorDef>* defs) {
  // Up to the last fields of C ABI 1.0: what is appended may be missing.
  constexpr size_t kOperator = offsetof(PenstockOperator, close) + sizeof(void*);
  constexpr size_t kParam = offsetof(PenstockParam, choices) + sizeof(void*);
  constexpr size_t kField = offsetof(PenstockField, doc) + sizeof(void*);
  for (const PenstockOperator* const* at = plugin.operators; at != nullptr && *at != nullptr;
       ++at) {
    const PenstockOperator& op = **at;
    if (op.struct_size < kOperator || op.param_size < kParam || op.field_size < kField) {
      return "an operator's structures have " + std::to_string(op.struct_size) + ", " +
             std::to_string(op.param_size) + " and " + std::to_string(op.field_size) +
             " bytes, not at least " + std::to_string(kOperator) + ", " + std::to_string(kParam) +
             " and " + std::to_string(kField) + ": begin it with PENSTOCK_OPERATOR_SIZES";
    }
    Schema schema;
    std::string reason = schema_of(op, &schema);
    if (reason.empty()) reason = check_functions(op);
    if (!reason.empty()) return "operator '" + text_of(op.name) + "': " + reason;
    defs->push_back({std::move(schema), factory_of(op)});
  }
  return "";
}

}  // namespace penstock
