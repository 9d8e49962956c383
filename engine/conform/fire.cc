#include "conform/fire.h"

#include "base/heap_context.h"

namespace penstock::conform {
namespace {

constexpr int kMostChildren = 8;
constexpr uint64_t kSeed = 1;

}  // namespace

std::vector<Item> fire(Operator& op, const PlanNode& node, const std::vector<const Item*>& in,
                       const Origin& origin) {
  const auto size = static_cast<size_t>(node.fields.size());
  std::vector<Item> outputs;
  const auto keep = [&](HeapContext& ctx) {
    if (!ctx.dropped()) outputs.push_back(ctx.finish({}, size));
  };
  HeapContext ctx(kSeed, node.stream, in, origin);
  if (auto* expand = dynamic_cast<Expand*>(&op)) {
    const auto stream = expand->open(ctx);
    for (int child = 0; child < kMostChildren; ++child) {
      HeapContext of_child(kSeed, node.stream, in, origin);
      if (!stream->next(of_child)) break;
      keep(of_child);
    }
  } else {
    op.process(ctx);
    keep(ctx);
  }
  return outputs;
}

std::unique_ptr<Operator> make_operator(const PlanNode& node) {
  std::unique_ptr<Operator> op = node.make(node.params);
  FieldTable fields = node.input_fields;
  op->infer(fields);
  return op;
}

}  // namespace penstock::conform
