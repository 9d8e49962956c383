#include "conform/race.h"

#include <dlfcn.h>

#include <exception>
#include <thread>
#include <vector>

#include "base/heap_context.h"
#include "conform/subject.h"

namespace penstock::conform {
namespace {

constexpr int kThreads = 4;
constexpr uint64_t kCalls = 50;

Item input_of(const PlanNode& feed, uint64_t position) {
  Origin origin;
  origin.position = origin.index = position;
  HeapContext ctx(1, 1, {}, origin);
  feed.prototype->process(ctx);
  return ctx.finish({}, static_cast<size_t>(feed.fields.size()));
}

void call(Operator& op, const PlanNode& node, const std::vector<Item>& inputs, uint64_t first) {
  for (uint64_t i = 0; i < kCalls; ++i) {
    std::vector<const Item*> in;
    if (node.kind != Kind::kSource) in.push_back(&inputs[(first + i) % inputs.size()]);
    Origin origin;
    origin.position = origin.index = first + i;
    if (const auto* source = dynamic_cast<const Source*>(&op)) {
      const uint64_t size = source->size(0);
      if (size == 0) return;
      origin.index %= size;
    }
    HeapContext ctx(1, node.stream, in, in.empty() ? origin : in[0]->origin);
    try {
      if (auto* expand = dynamic_cast<Expand*>(&op)) {
        const auto stream = expand->open(ctx);
        for (int child = 0; child < 8 && stream->next(ctx); ++child) {
        }
      } else {
        op.process(ctx);
      }
    } catch (const std::exception&) {
      // A sample's error; the other checks look at those.
    }
  }
}

}  // namespace

bool watches_threads() { return dlsym(RTLD_DEFAULT, "__tsan_init") != nullptr; }

void call_from_threads(const std::shared_ptr<const Plan>& plan) {
  const PlanNode& node = Subject::node_of(*plan);
  std::vector<Item> inputs;
  for (uint64_t i = 0; node.kind != Kind::kSource && i < 16; ++i) {
    inputs.push_back(input_of(plan->nodes().front(), i));
  }
  const int count = node.state == State::kSerial ? 1 : kThreads;
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      std::unique_ptr<Operator> own;
      if (node.state != State::kStateless) {
        own = node.make(node.params);
        FieldTable fields = node.input_fields;
        own->infer(fields);
      }
      call(own ? *own : *node.prototype, node, inputs, static_cast<uint64_t>(t) * kCalls);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace penstock::conform
