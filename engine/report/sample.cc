#include "report/sample.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <span>
#include <utility>

#include "base/heap_context.h"
#include "base/thrown.h"
#include "report/build.h"
#include "report/declared.h"

namespace penstock {
namespace {

using Items = std::vector<Item>;

/// "image: uint8 [480, 640, 3] HWC, label: int64 []".
std::string describe(const Field& field) {
  if (const auto* tensor = std::get_if<Tensor>(&field)) return tensor->describe();
  if (std::holds_alternative<std::string>(field)) return "text";
  return std::to_string(std::get<std::vector<std::string>>(field).size()) + " texts";
}

bool is_there(const Field& field) {
  const auto* tensor = std::get_if<Tensor>(&field);
  return tensor == nullptr || tensor->defined();
}

class Sampler {
 public:
  Sampler(const Plan& plan, uint64_t count) : plan_(plan), count_(count) {}

  std::vector<NodeSample> run() {
    for (const PlanNode& node : plan_.nodes()) {
      node_ = &node;
      now_ = NodeSample{.id = node.id, .op = node.op};
      Items out = outputs(inputs());
      now_.items = out.size();
      batch_sizes_.push_back(batch_size());
      for (const Item& item : out) {
        note(item);
        // The last batch of a sample is shorter than what a run makes.
        const bool whole = item.samples.size() >= batch_sizes_.back();
        if (whole) add_untrue(node_->fields, item, &now_.untrue);
      }
      samples_.push_back(std::move(now_));
      made_.push_back(std::move(out));
    }
    return std::move(samples_);
  }

 private:
  /// Items of each in-edge, their fields at the places where this node expects them.
  std::vector<Items> inputs() const {
    std::vector<Items> in;
    for (size_t i = 0; i < node_->in_edges.size(); ++i) {
      const PlanEdge& edge = plan_.edges()[static_cast<size_t>(node_->in_edges[i])];
      Items items = made_[static_cast<size_t>(edge.from)];
      if (i < node_->join.size()) {
        for (Item& item : items) place(node_->join[i], &item);
      }
      in.push_back(std::move(items));
    }
    return in;
  }

  void place(const std::vector<int>& join, Item* item) const {
    std::vector<Field> fields(static_cast<size_t>(node_->fields.size()));
    for (size_t i = 0; i < join.size() && i < item->fields.size(); ++i) {
      if (join[i] >= 0) fields[static_cast<size_t>(join[i])] = std::move(item->fields[i]);
    }
    item->fields = std::move(fields);
  }

  /// Samples in an item behind this node; 0 before any collate.
  size_t batch_size() const {
    if (node_->kind == Kind::kCollate)
      return dynamic_cast<Collate&>(*node_->prototype).batch_size();
    if (node_->in_edges.empty()) return 0;
    const PlanEdge& edge = plan_.edges()[static_cast<size_t>(node_->in_edges.front())];
    return batch_sizes_[static_cast<size_t>(edge.from)];
  }

  Items outputs(std::vector<Items> in) {
    switch (node_->kind) {
      case Kind::kSource:
        return source();
      case Kind::kZip:
        return zip(std::move(in));
      case Kind::kMerge:
        return merge(std::move(in));
      case Kind::kCollate:
        return collate(in.front());
      case Kind::kTake:
        return take(std::move(in.front()));
      case Kind::kExpand:
        return expand(in.front());
      default:
        return map(in.front());
    }
  }

  Items source() {
    auto& source = dynamic_cast<Source&>(*node_->prototype);
    uint64_t size = 0;
    Items out;
    try {
      size = source.size(0);
    } catch (...) {
      fail("the source cannot tell its length: " + thrown_text(), {}, Origin{});
    }
    for (uint64_t i = 0; i < std::min(size, count_); ++i) {
      Origin origin;
      origin.source = node_->source_index;
      origin.position = i;
      origin.index = node_->shuffle ? Permutation(size, plan_.seed(), origin.source, 0)(i) : i;
      fire({}, origin, &out);
    }
    return out;
  }

  Items map(const Items& in) {
    Items out;
    for (const Item& item : in) {
      const Item* input = &item;
      fire({&input, 1}, item.origin, &out);
    }
    return out;
  }

  Items collate(const Items& in) {
    const size_t size = dynamic_cast<Collate&>(*node_->prototype).batch_size();
    Items out;
    for (size_t begin = 0; begin < in.size(); begin += size) {
      std::vector<const Item*> group;
      for (size_t i = begin; i < std::min(begin + size, in.size()); ++i) group.push_back(&in[i]);
      fire(group, group.front()->origin, &out);
    }
    return out;
  }

  Items take(Items in) const {
    const uint64_t limit = dynamic_cast<Take&>(*node_->prototype).limit();
    if (in.size() > limit) in.resize(limit);
    return in;
  }

  /// By place in the epoch; what has no mate is left out.
  static Items zip(std::vector<Items> in) {
    Items out;
    for (Item& first : in.front()) {
      bool complete = true;
      for (size_t i = 1; i < in.size() && complete; ++i) {
        const auto mate = std::find_if(in[i].begin(), in[i].end(), [&](const Item& item) {
          return item.origin.same_place(first.origin);
        });
        complete = mate != in[i].end();
        for (size_t f = 0; complete && f < mate->fields.size(); ++f) {
          if (is_there(mate->fields[f])) first.fields[f] = mate->fields[f];
        }
      }
      if (complete) out.push_back(std::move(first));
    }
    return out;
  }

  static Items merge(std::vector<Items> in) {
    Items out;
    for (size_t i = 0, left = 1; left > 0; ++i) {
      left = 0;
      for (Items& items : in) {
        if (i < items.size()) out.push_back(std::move(items[i])), ++left;
      }
    }
    return out;
  }

  Items expand(const Items& in) {
    auto& op = dynamic_cast<Expand&>(*node_->prototype);
    Items out;
    for (const Item& parent : in) {
      const Item* input = &parent;
      Origin child = parent.origin;
      child.depth = std::min<uint32_t>(child.depth + 1, Origin::kMaxDepth);
      try {
        HeapContext open(plan_.seed(), node_->stream, {&input, 1}, parent.origin);
        const std::unique_ptr<Stream> stream = op.open(open);
        for (uint64_t i = 0; i < count_; ++i) {
          child.child[child.depth - 1] = static_cast<uint32_t>(i);
          HeapContext ctx(plan_.seed(), node_->stream, {&input, 1}, child);
          if (!stream->next(ctx)) break;
          keep(&ctx, parent.fields, &out);
        }
      } catch (...) {
        fail(thrown_text(), {&input, 1}, child);
      }
    }
    return out;
  }

  void fire(std::span<const Item* const> in, const Origin& origin, Items* out) {
    try {
      HeapContext ctx(plan_.seed(), node_->stream, in, origin);
      node_->prototype->process(ctx);
      const bool fresh = in.empty() || node_->kind == Kind::kCollate;
      const size_t before = out->size();
      keep(&ctx, fresh ? std::vector<Field>{} : in[0]->fields, out);
      if (node_->kind == Kind::kCollate && out->size() > before) {
        for (const Item* item : in) out->back().samples.push_back(item->origin);
      } else if (!in.empty() && out->size() > before) {
        out->back().samples = in[0]->samples;
      }
    } catch (...) {
      fail(thrown_text(), in, origin);
    }
  }

  void keep(HeapContext* ctx, std::vector<Field> start, Items* out) {
    if (ctx->dropped()) {
      ++now_.dropped;
    } else {
      out->push_back(ctx->finish(std::move(start), static_cast<size_t>(node_->fields.size())));
    }
  }

  void fail(const std::string& what, std::span<const Item* const> in, const Origin& origin) {
    ErrorInfo error;
    error.node = node_->id;
    error.where = node_->at.text();
    error.origin = origin;
    error.message = what;
    error.key = key(origin);
    if (!in.empty()) {
      const PlanEdge& edge = plan_.edges()[static_cast<size_t>(node_->in_edges.front())];
      const FieldTable& table = plan_.nodes()[static_cast<size_t>(edge.from)].fields;
      for (size_t i = 0; i < in[0]->fields.size() && i < table.all().size(); ++i) {
        if (!is_there(in[0]->fields[i])) continue;
        if (!error.shapes.empty()) error.shapes += ", ";
        error.shapes += table.at(static_cast<int>(i)).name + ": " + describe(in[0]->fields[i]);
      }
    }
    now_.errors.push_back(std::move(error));
  }

  std::string key(const Origin& origin) const {
    for (const PlanNode& node : plan_.nodes()) {
      if (node.kind != Kind::kSource || node.source_index != origin.source) continue;
      if (const auto* source = dynamic_cast<const Source*>(node.prototype.get())) {
        return source->key(origin.index);
      }
    }
    return "";
  }

  void note(const Item& item) {
    for (size_t i = 0; i < item.fields.size() && i < node_->fields.all().size(); ++i) {
      const std::string& name = node_->fields.at(static_cast<int>(i)).name;
      if (name.empty() || !is_there(item.fields[i])) continue;
      auto field = std::find_if(now_.fields.begin(), now_.fields.end(),
                                [&](const FieldSample& seen) { return seen.name == name; });
      if (field == now_.fields.end()) field = now_.fields.insert(field, {name, {}});
      const std::string form = describe(item.fields[i]);
      if (std::find(field->forms.begin(), field->forms.end(), form) == field->forms.end()) {
        field->forms.push_back(form);
      }
    }
  }

  const Plan& plan_;
  const uint64_t count_;
  const PlanNode* node_ = nullptr;
  NodeSample now_;
  std::vector<NodeSample> samples_;
  std::vector<Items> made_;
  std::vector<size_t> batch_sizes_;
};

}  // namespace

std::vector<NodeSample> sample_plan(const Plan& plan, uint64_t count) {
  return Sampler(plan, count).run();
}

}  // namespace penstock
