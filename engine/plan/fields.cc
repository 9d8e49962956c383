// Third pass: the operators' own checks, on a prototype of each, and the fields of every node.
#include <algorithm>

#include "base/thrown.h"
#include "plan/draft.h"

namespace penstock {
namespace {

Place place_of_param(const NodeSpec& node, const std::string& param) {
  for (const auto& [key, value] : node.params) {
    if (key.text == param) return {value.at, value.source_line};
  }
  if (param == "from") return place_of_from(node, 0);
  return place_of_op(node);
}

bool is_of_kind(const Operator& op, Kind kind) {
  switch (kind) {
    case Kind::kSource:
      return dynamic_cast<const Source*>(&op) != nullptr;
    case Kind::kExpand:
      return dynamic_cast<const Expand*>(&op) != nullptr;
    case Kind::kCollate:
      return dynamic_cast<const Collate*>(&op) != nullptr;
    case Kind::kTake:
      return dynamic_cast<const Take*>(&op) != nullptr;
    default:
      return true;
  }
}

/// Infers the fields of one node after another.
class Inference {
 public:
  explicit Inference(Draft* draft) : draft_(draft) {}

  void infer(int index) {
    PlanNode& node = draft_->node(index);
    const NodeSpec& spec = draft_->written(index);
    std::optional<FieldTable> fields = input_of(index);
    if (!fields) return draft_->fail(index);
    if (!may_take(index, *fields)) return draft_->fail(index);
    try {
      node.prototype = node.make(node.params);
      if (node.prototype == nullptr || !is_of_kind(*node.prototype, node.kind)) {
        draft_->say.error(
            "bad-operator",
            "operator '" + node.op + "'" +
                (node.prototype == nullptr
                     ? ": its factory gives nothing"
                     : " is no " + std::string(name_of(node.kind)) + ", as its schema says"),
            place_of_op(spec), "that is a mistake in the operator's library");
        return draft_->fail(index);
      }
      node.input_fields = *fields;
      node.prototype->infer(*fields);
      const auto* collate = dynamic_cast<const Collate*>(node.prototype.get());
      if (collate != nullptr && collate->batch_size() == 0) {
        throw std::logic_error("the operator's batch_size() is 0");
      }
      node.output_pool = node.prototype->output_pool();
      node.fields = std::move(*fields);
    } catch (...) {
      complain(index);
    }
  }

  /// Tells the operator who reads it, and asks what depends on that.
  void link(int index) {
    PlanNode& node = draft_->node(index);
    const NodeSpec& spec = draft_->written(index);
    try {
      PlanNode* const reader = only_reader(node);
      if (!reader_failed(node)) {  // else it cannot be told, and the pipeline is refused anyway
        node.prototype->link(reader == nullptr ? nullptr : reader->prototype.get());
      }
      node.output_memory = node.prototype->output_memory();
      if (node.output_memory == nullptr && node.kind == Kind::kCollate && reader != nullptr) {
        node.output_memory = reader->output_memory;
      }
      for (const std::string& note : node.prototype->notes()) {
        draft_->say.warning("data", "nodes." + spec.id + ": " + note, place_of_op(spec));
      }
    } catch (...) {
      complain(index);
    }
  }

 private:
  /// What is being handled, as a mistake of the node.
  void complain(int index) {
    const NodeSpec& spec = draft_->written(index);
    draft_->fail(index);
    try {
      throw;
    } catch (const ParamError& error) {
      std::string name = "nodes." + spec.id;
      if (!error.param().empty()) {
        name += (error.param() == "from" ? "." : ".params.") + error.param();
      }
      draft_->say.error("bad-param", name + ": " + error.what(),
                        place_of_param(spec, error.param()), error.help());
    } catch (...) {
      draft_->say.error("bad-node", "nodes." + spec.id + ": " + thrown_text(), place_of_op(spec));
    }
  }

  PlanNode* only_reader(const PlanNode& node) {
    if (node.out_edges.size() != 1) return nullptr;
    const int to = draft_->edge(node.out_edges.front()).to;
    if (draft_->is_consumer(to) || draft_->node(to).in_edges.size() != 1) return nullptr;
    return draft_->failed[static_cast<size_t>(to)] ? nullptr : &draft_->node(to);
  }

  bool reader_failed(const PlanNode& node) const {
    return std::any_of(node.out_edges.begin(), node.out_edges.end(), [this](int edge) {
      const int to = draft_->edge(edge).to;
      return !draft_->is_consumer(to) && draft_->failed[static_cast<size_t>(to)];
    });
  }

  const FieldTable& table_of(int index, size_t port) const {
    const int edge = draft_->node(index).in_edges[port];
    return draft_->node(draft_->edge(edge).from).fields;
  }

  /// What lies on a device is for operators that work there, and for those that only pass it on.
  bool may_take(int index, const FieldTable& fields) {
    const PlanNode& node = draft_->node(index);
    const bool passes_on =
        node.kind == Kind::kTake || node.kind == Kind::kMerge || node.kind == Kind::kZip;
    if (node.where == Where::kDevice || passes_on) return true;
    for (const FieldInfo& field : fields.all()) {
      if (!field.on_device) continue;
      const NodeSpec& spec = draft_->written(index);
      draft_->say.error("on-device",
                        "'" + spec.id +
                            "' works on the CPU, and its input lies on a device (field '" +
                            field.name + "')",
                        place_of_from(spec, 0), "put it before the node that copies to the device");
      return false;
    }
    return true;
  }

  std::optional<FieldTable> input_of(int index) {
    const PlanNode& node = draft_->node(index);
    if (node.in_edges.empty()) return FieldTable();
    if (node.kind == Kind::kZip) return zip_fields(index);
    if (node.kind == Kind::kMerge) return merge_fields(index);
    return table_of(index, 0);
  }

  std::optional<FieldTable> zip_fields(int index) {
    PlanNode& node = draft_->node(index);
    const NodeSpec& spec = draft_->written(index);
    FieldTable fields;
    std::vector<std::string> owners;
    bool good = true;
    for (size_t port = 0; port < node.in_edges.size(); ++port) {
      const FromSpec& from = spec.from[port];
      const FieldTable& input = table_of(index, port);
      if (!from.field.empty() && input.find(from.field) < 0) {
        complain_unknown_field(spec, port, input);
        good = false;
        continue;
      }
      std::vector<int> row;
      for (const FieldInfo& field : input.all()) {
        const bool chosen = from.field.empty() || field.name == from.field;
        if (field.name.empty() || !chosen) {
          row.push_back(-1);
          continue;
        }
        FieldInfo copy = field;
        if (!from.name.empty()) copy.name = from.name + "." + field.name;
        const int there = fields.find(copy.name);
        if (there >= 0) {
          complain_clash(spec, port, copy.name, owners[static_cast<size_t>(there)]);
          good = false;
          continue;
        }
        row.push_back(fields.add(std::move(copy)));
        owners.push_back(from.node);
      }
      node.join.push_back(std::move(row));
    }
    if (!good) return std::nullopt;
    return fields;
  }

  void complain_unknown_field(const NodeSpec& spec, size_t port, const FieldTable& input) {
    const FromSpec& from = spec.from[port];
    std::vector<std::string> names;
    for (const FieldInfo& field : input.all()) {
      if (!field.name.empty()) names.push_back(field.name);
    }
    draft_->say.error("unknown-field", "'" + from.node + "' gives no field '" + from.field + "'",
                      place_of_from(spec, port), suggestion(from.field, names, "its fields are"));
  }

  void complain_clash(const NodeSpec& spec, size_t port, const std::string& field,
                      const std::string& owner) {
    const std::string& node = spec.from[port].node;
    draft_->say.error("field-clash",
                      "'" + spec.id + "' gets the field '" + field + "' from '" + owner +
                          "' and from '" + node + "'",
                      place_of_from(spec, port),
                      "name the inputs, as from: {left: " + owner + ", right: " + node +
                          "}, or choose fields, as from: [" + owner + "." + field + ", ...]");
  }

  // All inputs must have the same fields at the same places; what is known is what they share.
  std::optional<FieldTable> merge_fields(int index) {
    const NodeSpec& spec = draft_->written(index);
    FieldTable fields = table_of(index, 0);
    for (size_t port = 1; port < draft_->node(index).in_edges.size(); ++port) {
      const FieldTable& other = table_of(index, port);
      bool same = fields.size() == other.size();
      for (int i = 0; same && i < fields.size(); ++i) {
        same = fields.at(i).name == other.at(i).name && fields.at(i).is_text == other.at(i).is_text;
      }
      if (!same) {
        draft_->say.error("merge-fields",
                          "'" + spec.id + "' merges items with different fields: '" +
                              spec.from[0].node + "' gives " + fields.names() + "; '" +
                              spec.from[port].node + "' gives " + other.names(),
                          place_of_from(spec, port),
                          "all inputs of a merge need the same fields in the same order");
        return std::nullopt;
      }
      for (int i = 0; i < fields.size(); ++i) weaken(&fields.at(i), other.at(i));
    }
    return fields;
  }

  static void weaken(FieldInfo* field, const FieldInfo& other) {
    if (field->dtype != other.dtype) field->dtype.reset();
    if (field->layout != other.layout) field->layout = Layout::kNone;
    if (!field->shape || !other.shape || field->shape->size() != other.shape->size()) {
      field->shape.reset();
      return;
    }
    for (size_t i = 0; i < field->shape->size(); ++i) {
      if ((*field->shape)[i] != (*other.shape)[i]) (*field->shape)[i] = -1;
    }
  }

  Draft* draft_;
};

bool input_failed(const Draft& draft, int index) {
  for (const int edge : draft.node(index).in_edges) {
    if (draft.failed[static_cast<size_t>(draft.edge(edge).from)]) return true;
  }
  return false;
}

}  // namespace

void infer_fields(Draft* draft) {
  Inference inference(draft);
  for (const int index : draft->order) {
    if (!draft->failed[static_cast<size_t>(index)] && input_failed(*draft, index)) {
      draft->fail(index);
    }
    if (!draft->failed[static_cast<size_t>(index)]) inference.infer(index);
  }
  // Readers first: what they have decides what those before them do.
  for (auto index = draft->order.rbegin(); index != draft->order.rend(); ++index) {
    if (!draft->failed[static_cast<size_t>(*index)]) inference.link(*index);
  }
}

}  // namespace penstock
